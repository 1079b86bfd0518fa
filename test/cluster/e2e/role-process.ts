import { pino } from 'pino';
import type { RejectedSettings } from '../../../src/api/compose-api.ts';
import { startApi } from '../../../src/api/start-api.ts';
import { openDatabase } from '../../../src/roles/open-database.ts';
import { type RunningDeliveries, startDeliveries } from '../../../src/roles/start-deliveries.ts';
import { startWorker } from '../../../src/roles/start-worker.ts';
import { createKeyring } from '../../../src/secrets/keyring.ts';
import { createLog } from '../../../src/shared/log.ts';
import type { Running } from '../../../src/shared/running.ts';
import { unmeasured } from '../../../src/telemetry/metrics/metrics.ts';
import { installRuntime } from '../../../src/temporal/runtime.ts';
import { offer } from '../../bench/calls.ts';

/** What both roles need, and what cannot be sent to another process, in a form that can. */
interface Shared {
  databaseUrl: string;
  keys: { current: Uint8Array; previous: Uint8Array | null };
  /** The file of its log, which is searched for secrets afterwards. */
  logPath: string;
}
type ApiOptions = Parameters<typeof startApi>[0];
type DeliveryOptions = Parameters<typeof startDeliveries>[0];
type WorkerOptions = Parameters<typeof startWorker>[0];
export type ApiJob = Shared &
  Omit<ApiOptions, 'database' | 'keyring' | 'log' | 'metrics' | 'scrape' | 'handOver'> & { rejected: RejectedSettings };
export type DeliveryJob = Shared & Omit<DeliveryOptions, 'database' | 'keyring' | 'log' | 'metrics'>;
export type WorkerJob = Shared &
  Omit<WorkerOptions, 'database' | 'keyring' | 'log' | 'metrics' | 'notifications'> & {
    notifications: Omit<WorkerOptions['notifications'], 'baseUrl'> & { baseUrl: string };
  };

/**
 * An api or a worker of the end-to-end tests, as a process of its own. It takes the settings of a test as they are, because
 * variables of the environment do not allow all of them: a schedule of two delays, for example.
 */
const logTo = (path: string) => createLog('trace', pino.destination({ dest: path, sync: true }));
let running: Running | null = null;
let deliveries: (RunningDeliveries & { close(): Promise<void> }) | null = null;

const calls = {
  /** Starts the api and returns its port. */
  async api({ databaseUrl, keys, logPath, ...options }: ApiJob): Promise<number> {
    const log = logTo(logPath);
    const database = await openDatabase({ url: databaseUrl, log });
    const keyring = createKeyring(keys.current, keys.previous);
    const handOver = () => deliveries?.handOver ?? null;
    const api = await startApi({ ...options, database, keyring, log, handOver, metrics: unmeasured, scrape: null });
    running = {
      async stop() {
        await api.stop();
        await database.close();
      },
    };
    return api.port;
  },

  /** Starts the first attempts of the api. */
  async deliver({ keys, logPath, ...options }: DeliveryJob): Promise<void> {
    const log = logTo(logPath);
    const database = await openDatabase({ url: options.databaseUrl, log });
    const keyring = createKeyring(keys.current, keys.previous);
    deliveries = {
      ...(await startDeliveries({ ...options, database, keyring, log, metrics: unmeasured })),
      close: () => database.close(),
    };
  },

  async stopDelivering(_: null): Promise<void> {
    await deliveries?.stop();
    await deliveries?.close();
    deliveries = null;
  },

  async worker({ databaseUrl, keys, logPath, notifications, ...options }: WorkerJob): Promise<void> {
    const log = logTo(logPath);
    installRuntime(log);
    const database = await openDatabase({ url: databaseUrl, log });
    const worker = await startWorker({
      ...{
        ...options,
        databaseUrl,
        database,
        keyring: createKeyring(keys.current, keys.previous),
        log,
        metrics: unmeasured,
      },
      notifications: { ...notifications, baseUrl: () => notifications.baseUrl },
    });
    await worker.engineTried;
    running = {
      async stop() {
        await worker.stop();
        await database.close();
      },
    };
  },

  /** Stops gracefully. */
  async stop(_: null): Promise<void> {
    await calls.stopDelivering(null);
    await running?.stop();
    running = null;
  },
};

export type RoleCalls = typeof calls;
offer(calls);
