import { parseArgs } from 'node:util';
import { benchAdmin } from './admin.ts';
import { benchBackup } from './backup.ts';
import { benchDeliver } from './deliver.ts';
import { benchFloor } from './floor.ts';
import { benchIngest } from './ingest.ts';
import { report } from './report.ts';
import { benchRetention } from './retention.ts';

const usage = `npm run bench -- ingest  [--seconds 10] [--connections 1,64] [--provider generic,stripe,…]
npm run bench -- deliver [--modes direct,workflow,auto] [--events 20000] [--workflow-events 2000] [--seconds 20] [--rates 5,50]
npm run bench -- floor   [--workflow-events 2000]
npm run bench -- admin   [--events 2000000] [--days 90] [--requests 200] [--connections 1]
npm run bench -- retention [--events 1000000]
npm run bench -- backup  [--events 1000000] [--connections 1,8] [--seconds 20]`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    connections: { type: 'string' },
    provider: { type: 'string', default: 'generic' },
    modes: { type: 'string', default: 'direct,workflow,auto' },
    rates: { type: 'string', default: '5,50' },
    events: { type: 'string' },
    days: { type: 'string', default: '90' },
    requests: { type: 'string', default: '200' },
    'workflow-events': { type: 'string', default: '2000' },
  },
});

// All servers stop with this process, also when it is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const numbers = (text: string) => text.split(',').map(Number);

switch (positionals[0]) {
  case 'ingest':
    report(
      'ingest',
      await benchIngest({
        seconds: Number(values.seconds ?? 10),
        connections: numbers(values.connections ?? '1,64'),
        providers: values.provider.split(','),
      }),
    );
    break;
  case 'deliver':
    report(
      'deliver',
      await benchDeliver({
        modes: values.modes.split(','),
        rates: numbers(values.rates),
        seconds: Number(values.seconds ?? 20),
        events: Number(values.events ?? 20_000),
        workflowEvents: Number(values['workflow-events']),
      }),
    );
    break;
  case 'floor':
    report('floor', await benchFloor({ workflows: Number(values['workflow-events']) }));
    break;
  case 'admin':
    report(
      'admin',
      await benchAdmin({
        events: Number(values.events ?? 2_000_000),
        days: Number(values.days),
        requests: Number(values.requests),
        connections: Number(values.connections ?? 1),
      }),
    );
    break;
  case 'retention':
    report('retention', await benchRetention({ events: Number(values.events ?? 1_000_000) }));
    break;
  case 'backup':
    report(
      'backup',
      await benchBackup({
        events: Number(values.events ?? 1_000_000),
        seconds: Number(values.seconds ?? 20),
        connections: numbers(values.connections ?? '1,8'),
      }),
    );
    break;
  default:
    console.error(usage);
    process.exitCode = 1;
}
