import { Scrape } from '../metrics/scrape.ts';
import { originOf } from '../notifications/settings.ts';
import { cacheDirOf } from '../shared/cache-dir.ts';
import { version } from '../shared/version.ts';
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

/** The role `worker`: relay and Temporal worker. Any number of these processes can share the task queues. */
export async function runWorker({ config, log, stopped }: RoleContext): Promise<void> {
  const sdk = await installMeasuredRuntime(log);
  const databaseUrl = needed(config.databaseUrl);
  const database = await openDatabase({ url: databaseUrl, log });
  try {
    let worker: RunningWorker | null = null;
    const temporal = () => worker?.temporal ?? null;
    const temporalAnswers = async () => (await temporal()?.answers()) ?? false;
    const { metrics, collect } = measureWorker({ database, sdk, temporalAnswers, log });
    // Before anything is started, so that a port that is taken is told at once.
    const measured = await serveWorkerMetrics({
      config,
      database,
      scrape: new Scrape([collect]),
      stopped,
      temporal,
      log,
    });
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
        workflowBundle: await bundleWorkflows({ cacheDir: cacheDirOf(config.machine), log }),
        metrics,
        log,
      });
      if (config.publicUrl === null)
        log.warn({ links: originOf(config) }, 'PUBLIC_URL is not set: links in notifications lead to this machine');
      log.info(
        { version, taskQueue: config.temporal.taskQueue, takes: worker.takes, ...(config.build ?? {}) },
        'worker running',
      );
      await untilStopped(stopped);
      await worker.stop();
    } finally {
      await measured.stop();
    }
  } finally {
    await database.close();
  }
}
