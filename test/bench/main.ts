import { benchAdmin } from './admin.ts';
import { benchBackup } from './backup.ts';
import { benchDeliver } from './deliver.ts';
import { benchFloor } from './floor.ts';
import { benchIngest } from './ingest.ts';
import { benchLasting } from './lasting.ts';
import { gatewayOptions, number, numbers, positionals, scenarioOptions, usage, values } from './options.ts';
import { benchPairs } from './pairs.ts';
import { benchQueue } from './queue.ts';
import { type BenchResult, report } from './report.ts';
import { benchRetention } from './retention.ts';

// All servers stop with this process, also when it is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const benchmarks: Record<string, () => Promise<BenchResult>> = {
  ingest: () =>
    benchIngest({
      seconds: number(values.seconds ?? '10'),
      connections: numbers(values.connections ?? '1,64'),
      providers: values.provider.split(','),
    }),
  deliver: () => benchDeliver({ ...scenarioOptions(), gateways: gatewayOptions(values.gateway) }),
  pairs: () => {
    const [gateway] = gatewayOptions(values.gateway);
    const [other] = gatewayOptions(values.with);
    if (values.with === undefined) throw new Error('pairs needs --with DIR');
    return benchPairs({ ...scenarioOptions(), gateway, other, pairs: number(values.pairs) });
  },
  lasting: () => {
    const [gateway] = gatewayOptions(values.gateway);
    return benchLasting({
      gateway,
      seconds: number(values.seconds ?? '600'),
      rate: number(values.rate),
      failing: number(values.failing),
      connections: number(values.connections ?? '64'),
    });
  },
  queue: () => benchQueue({ events: number(values.events ?? '2000000') }),
  floor: () => benchFloor({ workflows: number(values['workflow-events']) }),
  admin: () =>
    benchAdmin({
      events: number(values.events ?? '2000000'),
      days: number(values.days),
      requests: number(values.requests),
      connections: number(values.connections ?? '1'),
    }),
  retention: () => benchRetention({ events: number(values.events ?? '1000000') }),
  backup: () =>
    benchBackup({
      events: number(values.events ?? '1000000'),
      seconds: number(values.seconds ?? '20'),
      connections: numbers(values.connections ?? '1,8'),
    }),
};

const [name = ''] = positionals;
const benchmark = benchmarks[name];
if (benchmark) {
  report(name, await benchmark());
} else {
  console.error(usage);
  process.exitCode = 1;
}
