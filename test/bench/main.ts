import { parseArgs } from 'node:util';
import { benchAdmin } from './admin.ts';
import { benchBackup } from './backup.ts';
import { scenarios } from './deliver/scenarios.ts';
import type { GatewayOptions } from './deliver/stage.ts';
import { benchDeliver } from './deliver.ts';
import { benchFloor } from './floor.ts';
import { benchIngest } from './ingest.ts';
import { benchPairs } from './pairs.ts';
import { report } from './report.ts';
import { benchRetention } from './retention.ts';

const usage = `npm run bench -- ingest  [--seconds 10] [--connections 1,64] [--provider generic,stripe,…]
npm run bench -- deliver [SCENARIOS] [--gateway DIR]
npm run bench -- pairs   --with DIR [--pairs 5] [SCENARIOS] [--gateway DIR]
npm run bench -- floor   [--workflow-events 2000]
npm run bench -- admin   [--events 2000000] [--days 90] [--requests 200] [--connections 1]
npm run bench -- retention [--events 1000000]
npm run bench -- backup  [--events 1000000] [--connections 1,8] [--seconds 20]

SCENARIOS of deliver and pairs:
  --scenarios ${Object.keys(scenarios).join(',')}
  --modes auto          values of FIRST_ATTEMPT: auto,direct,workflow
  --event-workflows …   values of EVENT_WORKFLOWS: always,on_retry; without it the gateway's default
  --events 20000        events of a burst
  --connections 64
  --rates 5,100         events a second, each for --seconds 20
--gateway DIR and --with DIR are checkouts with node_modules, also older ones.`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    connections: { type: 'string' },
    provider: { type: 'string', default: 'generic' },
    scenarios: { type: 'string' },
    modes: { type: 'string', default: 'auto' },
    'event-workflows': { type: 'string' },
    gateway: { type: 'string' },
    with: { type: 'string' },
    pairs: { type: 'string', default: '5' },
    rates: { type: 'string', default: '5,100' },
    events: { type: 'string' },
    days: { type: 'string', default: '90' },
    requests: { type: 'string', default: '200' },
    'workflow-events': { type: 'string', default: '2000' },
  },
});

// All servers stop with this process, also when it is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const numbers = (text: string) => text.split(',').map(Number);

const scenarioOptions = () => ({
  scenarios: values.scenarios?.split(',') ?? Object.keys(scenarios),
  events: Number(values.events ?? 20_000),
  connections: Number(values.connections ?? 64),
  rates: numbers(values.rates),
  seconds: Number(values.seconds ?? 20),
});

/** Each way to start the gateway that the options name. */
const gateways = (checkout: string | null): GatewayOptions[] =>
  values.modes.split(',').flatMap((mode) => {
    const ways = values['event-workflows']?.split(',') ?? [null];
    return ways.map((eventWorkflows) => ({ checkout, mode, eventWorkflows }));
  });

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
    report('deliver', await benchDeliver({ ...scenarioOptions(), gateways: gateways(values.gateway ?? null) }));
    break;
  case 'pairs': {
    const [gateway] = gateways(values.gateway ?? null);
    const [other] = gateways(values.with ?? null);
    if (!gateway || !other || values.with === undefined) throw new Error('pairs needs --with DIR');
    report('pairs', await benchPairs({ ...scenarioOptions(), gateway, other, pairs: Number(values.pairs) }));
    break;
  }
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
