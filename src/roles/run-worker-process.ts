import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerBeside } from '../dispatch/worker-news.ts';
import type { Collect } from '../metrics/scrape.ts';
import { createKeyring } from '../secrets/keyring.ts';
import { createLog, logNodeWarnings } from '../shared/log.ts';
import { installMeasuredRuntime } from '../temporal/runtime.ts';
import { bundleWorkflows } from '../temporal/workflow-bundle.ts';
import { logIds } from '../tracing/spans.ts';
import { startTracing } from '../tracing/start-tracing.ts';
import { measureWorkerProcess } from './compose-metrics.ts';
import { openDatabase } from './open-database.ts';
import { startWorker } from './start-worker.ts';
import { untilStopped } from './until-stopped.ts';
import { warmUpDatabase } from './warm-up-database.ts';
import type { WorkerSettings } from './worker-channel.ts';

/** A Temporal that is reached answers sooner. One that is down must not delay the start: first attempts do without it. */
const engineLimitMs = 5_000;

/** A worker that works, and what tells its metrics. */
export interface StartedWorker {
  beside: WorkerBeside;
  collect: Collect;
}

/** Runs the worker of `npm start` until it is asked to stop. */
export async function runWorkerProcess(
  settings: WorkerSettings,
  options: { baseUrl: () => string; stopped: AbortSignal; onStarted: (worker: StartedWorker) => void },
): Promise<void> {
  const { databaseUrl, keys, temporal, delivery, maintenance } = settings;
  const log = createLog(settings.logLevel, undefined, settings.tracing && logIds);
  logNodeWarnings(log);
  const tracing = await startTracing(settings.tracing, { role: 'worker', log });
  const sdk = await installMeasuredRuntime(log);
  const bundle = bundleWorkflows({ cacheDir: settings.cacheDir, log });
  bundle.catch(() => undefined);
  const database = await openDatabase({ url: databaseUrl, log });
  try {
    const keyring = createKeyring(keys.current, keys.previous);
    await warmUpDatabase({ database, log });
    const measured = measureWorkerProcess({ database, sdk, temporalAnswers: () => worker.temporal.answers(), log });
    const { metrics } = measured;
    const worker = await startWorker({
      ...{ database, databaseUrl, keyring, temporal, delivery, maintenance, metrics, log },
      notifications: { ...settings.notifications, baseUrl: options.baseUrl },
      workflowBundle: await bundle,
      attemptsBeside: true,
    });
    await Promise.race([worker.engineTried, sleep(engineLimitMs, undefined, { ref: false })]);
    options.onStarted({ beside: worker.beside, collect: measured.collect });
    await untilStopped(options.stopped);
    await worker.stop();
  } finally {
    await database.close();
    await tracing.stop();
  }
}
