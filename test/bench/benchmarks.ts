import { benchAdmin } from './admin.ts';
import { benchBackup } from './backup.ts';
import { benchConditions } from './conditions.ts';
import { benchConsole } from './console.ts';
import { benchDeliver } from './deliver.ts';
import { benchFloor } from './floor.ts';
import { benchIngest } from './ingest.ts';
import { benchLasting } from './lasting.ts';
import { gatewayOptions, number, numbers, readArguments, scenarioOptions, type Values, variables } from './options.ts';
import { benchPairs } from './pairs.ts';
import { benchQueue } from './queue.ts';
import type { BenchResult } from './report.ts';
import { benchRetention } from './retention.ts';

/** Reads all of the options before anything is started. */
const benchmark =
  <Options>(run: (options: Options) => Promise<BenchResult>, read: (values: Values) => Options) =>
  (values: Values) => {
    const options = read(values);
    return () => run(options);
  };

const benchmarks: Record<string, (values: Values) => () => Promise<BenchResult>> = {
  ingest: benchmark(benchIngest, (values) => ({
    seconds: number(values.seconds ?? '10'),
    connections: numbers(values.connections ?? '1,64'),
    providers: values.provider.split(','),
  })),
  deliver: benchmark(benchDeliver, (values) => ({
    ...scenarioOptions(values),
    gateways: gatewayOptions(values, values.gateway),
  })),
  pairs: benchmark(benchPairs, (values) => {
    const [gateway] = gatewayOptions(values, values.gateway);
    const [other] = gatewayOptions(values, values.with);
    if (values.with === undefined) throw new Error('pairs needs --with DIR');
    return {
      ...scenarioOptions(values),
      ...{ gateway: { ...gateway, environment: variables(values) }, other },
      ...{ pairs: number(values.pairs), traces: values.traces },
    };
  }),
  lasting: benchmark(benchLasting, (values) => {
    const [gateway] = gatewayOptions(values, values.gateway);
    return {
      gateway,
      seconds: number(values.seconds ?? '600'),
      rate: number(values.rate),
      failing: number(values.failing),
      connections: number(values.connections ?? '64'),
    };
  }),
  queue: benchmark(benchQueue, (values) => ({ events: number(values.events ?? '2000000') })),
  floor: benchmark(benchFloor, (values) => ({
    shapes: values.shape.split(','),
    workflows: number(values['workflow-events']),
    delayMs: number(values.delay) * 1000,
  })),
  admin: benchmark(benchAdmin, (values) => ({
    events: number(values.events ?? '2000000'),
    days: number(values.days),
    requests: number(values.requests),
    connections: number(values.connections ?? '1'),
  })),
  console: benchmark(benchConsole, (values) => ({
    events: number(values.events ?? '2000000'),
    days: number(values.days),
    requests: number(values.requests),
    rate: number(values.rate),
    seconds: number(values.seconds ?? '10'),
    overviewSeconds: number(values['overview-seconds']),
  })),
  conditions: benchmark(benchConditions, (values) => ({ rounds: number(values.rounds) })),
  retention: benchmark(benchRetention, (values) => ({ events: number(values.events ?? '1000000') })),
  backup: benchmark(benchBackup, (values) => ({
    events: number(values.events ?? '1000000'),
    seconds: number(values.seconds ?? '20'),
    connections: numbers(values.connections ?? '1,8'),
  })),
};

/**
 * Reads the arguments of `npm run bench`.
 *
 * @returns null when they name no benchmark
 * @throws Error that says which option is wrong
 */
export function readBenchmark(args: readonly string[]): { name: string; run: () => Promise<BenchResult> } | null {
  const { positionals, values } = readArguments(args);
  const [name = ''] = positionals;
  const read = benchmarks[name];
  return read === undefined ? null : { name, run: read(values) };
}
