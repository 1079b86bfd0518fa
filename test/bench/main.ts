import { commandOf } from '../support/command.ts';
import { readBenchmark } from './benchmarks.ts';
import { usage } from './options.ts';
import { report } from './report.ts';

// All servers stop with this process, also when it is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const benchmark = commandOf(readBenchmark, usage, 1);
if (benchmark) {
  report(benchmark.name, await benchmark.run());
} else {
  console.error(usage);
  process.exitCode = 1;
}
