import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerBeside } from '../dispatch/worker-news.ts';
import { createKeyring } from '../secrets/keyring.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { createLog } from '../shared/log.ts';
import { installRuntime } from '../temporal/runtime.ts';
import { bundleWorkflows } from '../temporal/workflow-bundle.ts';
import { openDatabase } from './open-database.ts';
import { startWorker } from './start-worker.ts';
import { untilStopped } from './until-stopped.ts';
import { warmUpDatabase } from './warm-up-database.ts';
import type { WorkerSettings } from './worker-channel.ts';

/** A Temporal that is reached answers sooner. One that is down must not delay the start: first attempts do without it. */
const engineLimitMs = 5_000;

/** Runs the worker of `npm start` until it is asked to stop. */
export async function runWorkerProcess(
  settings: WorkerSettings,
  options: { baseUrl: () => string; stopped: AbortSignal; onStarted: (worker: WorkerBeside) => void },
): Promise<void> {
  const { databaseUrl, keys, temporal, delivery, maintenance } = settings;
  const log = createLog(settings.logLevel);
  installRuntime(log);
  const bundle = bundleWorkflows({ cacheDir: settings.cacheDir, log });
  bundle.catch(() => undefined);
  const database = await openDatabase({ url: databaseUrl, log });
  try {
    const keyring = createKeyring(keys.current, keys.previous);
    await warmUpDatabase({ database, box: createSecretBox(keyring), log });
    const worker = await startWorker({
      ...{ database, databaseUrl, keyring, temporal, delivery, maintenance, log },
      notifications: { ...settings.notifications, baseUrl: options.baseUrl },
      workflowBundle: await bundle,
      attemptsBeside: true,
    });
    await Promise.race([worker.engineTried, sleep(engineLimitMs, undefined, { ref: false })]);
    options.onStarted(worker.beside);
    await untilStopped(options.stopped);
    await worker.stop();
  } finally {
    await database.close();
  }
}
