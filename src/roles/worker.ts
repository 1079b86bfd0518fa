import { originOf } from '../notifications/settings.ts';
import { cacheDirOf } from '../shared/cache-dir.ts';
import { installRuntime } from '../temporal/runtime.ts';
import { bundleWorkflows } from '../temporal/workflow-bundle.ts';
import { keyringOf } from './keyring.ts';
import { needed } from './needed.ts';
import { openDatabase } from './open-database.ts';
import type { RoleContext } from './role-context.ts';
import { startWorker } from './start-worker.ts';
import { untilStopped } from './until-stopped.ts';

/** The role `worker`: relay and Temporal worker. Any number of these processes can share one task queue. */
export async function runWorker({ config, log, stopped }: RoleContext): Promise<void> {
  installRuntime(log);
  const databaseUrl = needed(config.databaseUrl);
  const database = await openDatabase({ url: databaseUrl, log });
  try {
    const worker = await startWorker({
      database,
      databaseUrl,
      keyring: keyringOf(config),
      temporal: { ...config.temporal, address: needed(config.temporal.address) },
      delivery: config.delivery,
      notifications: { ...config.notifications, baseUrl: () => config.publicUrl ?? originOf(config) },
      maintenance: config.maintenance,
      workflowBundle: await bundleWorkflows({ cacheDir: cacheDirOf(config.machine), log }),
      log,
    });
    if (config.publicUrl === null)
      log.warn({ links: originOf(config) }, 'PUBLIC_URL is not set: links in notifications lead to this machine');
    log.info({ taskQueue: config.temporal.taskQueue }, 'worker running');
    await untilStopped(stopped);
    await worker.stop();
  } finally {
    await database.close();
  }
}
