import { setTimeout as sleep } from 'node:timers/promises';
import { originOf } from '../notifications/settings.ts';
import { cacheDirOf } from '../shared/cache-dir.ts';
import { version } from '../shared/version.ts';
import { Scrape } from '../telemetry/metrics/scrape.ts';
import { installMeasuredRuntime } from '../temporal/runtime.ts';
import { bundleWorkflows } from '../temporal/workflow-bundle.ts';
import { measureWorker } from './compose-metrics.ts';
import { keyringOf } from './keyring.ts';
import { needed } from './needed.ts';
import { openDatabase } from './open-database.ts';
import type { RoleContext } from './role-context.ts';
import { serveWorkerMetrics } from './serve-metrics.ts';
import { type RunningWorker, startWorker } from './start-worker.ts';
import { untilStopped } from './until-stopped.ts';
import { workerMetricsPort } from './worker-metrics.ts';

/** How long `npm start` waits for a Temporal that is down. First attempts do without it. */
const engineLimitMs = 5_000;

/** The role `worker`: everything of Temporal. Any number of these processes can share the task queues. */
export async function runWorker({ config, log, stopped, ready }: RoleContext): Promise<void> {
  const sdk = await installMeasuredRuntime(log);
  const bundle = bundleWorkflows({ cacheDir: cacheDirOf(config.machine), log });
  bundle.catch(() => undefined);
  const databaseUrl = needed(config.databaseUrl);
  const database = await openDatabase({ url: databaseUrl, log });
  const { startedBy } = config;
  try {
    let worker: RunningWorker | null = null;
    const temporal = () => worker?.temporal ?? null;
    const temporalAnswers = async () => (await temporal()?.answers()) ?? false;
    const { metrics, collect } = measureWorker({ database, sdk, temporalAnswers, log });
    // Before anything is started, so that a port that is taken is told at once.
    const measured = await serveWorkerMetrics({
      // The `api` of `npm start` asks for the metrics, on this machine.
      config: startedBy ? { host: '127.0.0.1', metricsPort: 0 } : config,
      ...{ database, stopped, temporal, collect, log },
      scrape: new Scrape([collect]),
    });
    if (startedBy) workerMetricsPort.write(startedBy.dataDir, measured.port, log);
    try {
      worker = await startWorker({
        database,
        databaseUrl,
        keyring: keyringOf(config),
        temporal: { ...config.temporal, address: needed(config.temporal.address) },
        delivery: config.delivery,
        notifications: { ...config.notifications, baseUrl: () => config.publicUrl ?? originOf(config) },
        maintenance: config.maintenance,
        queues: config.workerQueues,
        build: config.build,
        workflowBundle: await bundle,
        metrics,
        log,
      });
      if (config.publicUrl === null && !startedBy)
        log.warn({ links: originOf(config) }, 'PUBLIC_URL is not set: links in notifications lead to this machine');
      log.info(
        { version, taskQueue: config.temporal.taskQueue, takes: worker.takes, ...(config.build ?? {}) },
        'worker running',
      );
      if (startedBy) await Promise.race([worker.engineTried, sleep(engineLimitMs, undefined, { ref: false })]);
      ready({});
      await untilStopped(stopped);
      await worker.stop();
    } finally {
      await measured.stop();
    }
  } finally {
    await database.close();
  }
}
