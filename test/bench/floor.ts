import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { createLog } from '../../src/shared/log.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { workerSettings } from '../../src/temporal/worker-options.ts';
import { cpuColumns, cpuTimes } from './cpu.ts';
import { temporaryTemporal } from './processes.ts';
import { type BenchResult, ms, percentile } from './report.ts';
import { temporalSettings } from './settings.ts';

/** The number of concurrent starts, as in the relay. */
const concurrency = 32;
const warmUpWorkflows = 300;
let installed = false;

/** Measures Temporal alone: a workflow with one empty activity, with the gateway's settings. */
export async function benchFloor(options: { workflows: number }): Promise<BenchResult> {
  const log = createLog('warn');
  if (!installed) installRuntime(log);
  installed = true;
  const temporal = await temporaryTemporal(28234);
  const taskQueue = 'floor';
  const connection = await connectTemporal({
    address: temporal.address,
    namespace: 'default',
    taskQueue,
    apiKey: null,
    tls: false,
  });
  const silent = () => undefined;
  const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: console.error };
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('floor-workflow.ts', import.meta.url)),
    logger,
  });
  const worker = await Worker.create({
    connection,
    namespace: 'default',
    taskQueue,
    workflowBundle,
    activities: { nothing: async () => undefined },
    ...workerSettings,
  });
  const client = new Client({ connection });
  const run = async (count: number) => {
    console.error(`floor: ${count} workflows`);
    const latenciesMs: number[] = [];
    let left = count;
    const before = cpuTimes([process.pid]);
    const startedMs = performance.now();
    const starter = async () => {
      while (left-- > 0) {
        const fromMs = performance.now();
        await client.workflow.start('floor', { taskQueue, workflowId: randomUUID(), requestEagerStart: true });
        latenciesMs.push(performance.now() - fromMs);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, starter));
    while ((await client.workflow.count("ExecutionStatus = 'Running'")).count > 0)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return {
      seconds: (performance.now() - startedMs) / 1000,
      latenciesMs,
      cpu: cpuColumns(before, cpuTimes([process.pid]), count),
    };
  };
  try {
    const result = await worker.runUntil(async () => {
      await run(warmUpWorkflows);
      return run(options.workflows);
    });
    const row = {
      pace: 'flat out',
      events: options.workflows,
      'events/s': Math.round(options.workflows / result.seconds),
      'p50 ms': ms(percentile(result.latenciesMs, 0.5)),
      'p99 ms': ms(percentile(result.latenciesMs, 0.99)),
      ...result.cpu,
    };
    return { settings: temporalSettings, rows: [row] };
  } finally {
    await connection.close();
    await temporal.stop();
  }
}
