import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import type { Log } from '../../src/shared/log.ts';
import type { Running } from '../../src/shared/running.ts';
import { startTracing } from '../../src/telemetry/tracing/start-tracing.ts';
import { log } from '../support/runtime.ts';
import { type Collector, collectorForTest } from './collector.ts';

/** Turns tracing on in the test's process, with the variables that a process would get, until the test ends. */
export async function tracingForTest(variables: Record<string, string>, options: { log?: Log } = {}): Promise<Running> {
  const { tracing } = readConfig('all', { OTEL_BSP_SCHEDULE_DELAY: '20', ...variables });
  const running = await startTracing(tracing, { role: 'all', log: options.log ?? log });
  onTestFinished(() => running.stop());
  return running;
}

/** Turns tracing on in the test's process, with a collector, until the test ends. */
export async function tracedForTest(variables: Record<string, string> = {}): Promise<Collector> {
  const collector = await collectorForTest();
  await tracingForTest({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...variables });
  return collector;
}
