import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { inject } from 'vitest';
import { startApi } from '../../src/api/start-api.ts';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { EventWorkflows } from '../../src/events/event-workflows.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { startDeliveries } from '../../src/roles/start-deliveries.ts';
import { startWorker } from '../../src/roles/start-worker.ts';
import type { Keyring } from '../../src/secrets/keyring.ts';
import type { Running } from '../../src/shared/running.ts';
import { unmeasured } from '../../src/telemetry/metrics/metrics.ts';
import { clusterStarters, type Starters } from '../cluster/e2e/start-processes.ts';
import { type AdminClient, type Answer, adminClient, send, type Webhook } from './admin-client.ts';
import { migratedDatabase } from './database.ts';
import { eventStates } from './event-changes.ts';
import { eventHistory } from './event-history.ts';
import type { TestGatewayOptions, TestMaintenance } from './gateway-options.ts';
import { randomKeyring } from './keyring.ts';
import { leaksInFolder } from './leaks/files.ts';
import { note, watchAnswersOf } from './leaks/watch.ts';
import { policy } from './policy.ts';
import { installTestRuntime, log } from './runtime.ts';
import { removeSchedules } from './schedules.ts';
import { secretText } from './secrets.ts';
import { type Row, rows } from './stored.ts';

/**
 * The number of the last attempt of the short schedules below. Three attempts include a first, a middle and a last one.
 * Tests that only start with an exhausted event need no more, and each attempt costs about 30 ms of processor time.
 */
export const lastAttempt = 3;
/** Two short delays, so that an event is exhausted quickly. */
export const quickDelaysMs = [20, 20];
/** No delays, so that not even a timer is set. */
export const instantDelaysMs = [0, 0];
/** Nine delays as in production, for tests of the ten attempts. */
export const nineQuickDelaysMs = Array.from({ length: 9 }, () => 20);
/** Long enough that no second attempt becomes due during a test. */
export const slowDelaysMs = Array.from({ length: 9 }, () => 10 * 60_000);

/** For this long a test can hold an answer back: longer than the 15 s of DELIVERY_TIMEOUT, because a machine may be busy. */
export const defaultTimeLimitMs = 60_000;

const adminToken = secretText('admin-token');

export interface TestGateway {
  baseUrl: string;
  admin: AdminClient;
  database: Database;
  databaseUrl: string;
  temporal: { address: string; namespace: string; taskQueue: string; apiKey: null; tls: false; uiUrl: string };
  keyring: Keyring;
  /** The rows of any statement, with the types of the driver. */
  rows(text: string, values?: unknown[]): Promise<Row[]>;
  /** Sends a webhook as a provider does: see {@link send}. */
  send(...webhook: Webhook): Promise<Answer>;
  /** The policy of its workers. */
  eventWorkflows: EventWorkflows;
  adminToken: string;
  /**
   * Starts a worker, also in addition to others, and the first attempts of the api, if they are stopped. Without
   * `maintenance` it has the gateway's.
   */
  startWorker(maintenance?: TestMaintenance): Promise<Running>;
  /** Stops all that delivers: workers, and first attempts. The api continues. */
  stopWorker(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a gateway in this process with real servers, a new database and its own task queue. */
export async function startGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  installTestRuntime();
  const databaseUrl = options.databaseUrl ?? (await migratedDatabase());
  const database = await openDatabase({ url: databaseUrl, log });
  // A copy of the template has the schema.
  if (options.databaseUrl !== undefined) await migrate(database, log);
  const eventWorkflows = options.eventWorkflows ?? policy();
  const keyring = options.keyring ?? options.inPlaceOf?.keyring ?? randomKeyring();
  const temporal = {
    address: options.temporalAddress ?? inject('temporalAddress'),
    namespace: 'default',
    taskQueue: options.inPlaceOf?.temporal.taskQueue ?? `test-${randomBytes(6).toString('hex')}`,
    apiKey: null,
    tls: false as const,
    uiUrl: inject('temporalUiUrl'),
  };
  // On a cluster, the api and the workers are processes: `npm run cluster -- --only e2e`.
  const start: Starters = inject('databaseOwner')
    ? clusterStarters({ databaseUrl, workers: options.accountConcurrency === undefined ? undefined : 1 })
    : { startApi, startDeliveries, startWorker };
  const workers: Running[] = [];
  let deliveries: Awaited<ReturnType<Starters['startDeliveries']>> | null = null;
  /** Set before they have started, so that workers that start together start them once. */
  let startedDeliveries: Promise<void> | null = null;
  const delivery = {
    delaysMs: options.delaysMs ?? quickDelaysMs,
    timeLimitMs: options.timeLimitMs ?? defaultTimeLimitMs,
    allowedNetworks: options.allowedNetworks ?? ['127.0.0.0/8', '::1/128'],
    proxy: options.proxy ?? null,
    droppedHeaders: options.droppedHeaders ?? [],
    accountConcurrency: options.accountConcurrency ?? 64,
    eventWorkflows,
    eventWorkflowsBacklog: options.eventWorkflowsBacklog ?? { events: 10_000, ageMs: 5 * 60_000 },
  };
  const mail = options.mail ?? { from: 'gateway@gateway.test', sendgrid: null, outboxDir: null };
  const api = await start.startApi({
    ...{ database, keyring, log },
    temporal: options.apiWithoutTemporal ? null : temporal,
    adminTokens: [{ name: 'tester', token: adminToken }, ...(options.adminTokens ?? [])].map((token) => ({
      role: 'admin' as const,
      ...token,
    })),
    ownSettings: { role: 'api', settings: options.settings ?? [] },
    trustedProxies: options.trustedProxies ?? [],
    delivery,
    mail,
    publicUrl: null,
    maxPayloadBytes: options.maxPayloadBytes ?? 1024 * 1024,
    rejected: { bodyBytes: 16_384, accountDailyBytes: 2 ** 25, dailyBytes: 2 ** 28, ...options.rejected },
    maxBodyBytesInFlight:
      options.maxBodyBytesInFlight ?? Math.max(64 * 1024 * 1024, 4 * (options.maxPayloadBytes ?? 0)),
    maxConnections: options.maxConnections ?? 2_000,
    host: options.host ?? '127.0.0.1',
    port: 0,
    handOver: () => deliveries?.handOver ?? null,
    incidentPace: options.incidents,
    ...{ metrics: unmeasured, scrape: null },
  });
  const baseUrl = `http://127.0.0.1:${api.port}`;
  const stopWatching = watchAnswersOf(baseUrl);
  const backupDirs = new Set<string>();
  const gateway: TestGateway = {
    baseUrl,
    admin: adminClient(baseUrl, adminToken, eventStates(database), (id) => eventHistory(temporal, id)),
    ...{ database, databaseUrl, temporal, keyring, adminToken, eventWorkflows },
    rows: (text, values) => rows(database, text, values),
    send: (...webhook) => send(baseUrl, ...webhook),
    async startWorker(maintenance = options.maintenance) {
      if (maintenance?.backupDir !== undefined) backupDirs.add(maintenance.backupDir);
      // Before the worker: without an api that makes first attempts, it would leave them to the workflows after 5 s.
      if (options.apiDelivers !== false)
        startedDeliveries ??= start
          .startDeliveries({
            ...{ database, databaseUrl, keyring, delivery, metrics: unmeasured, log },
            ...{ burst: options.notifyBurst ?? null, stopLimitMs: 30_000, incidentPace: options.incidents },
            ...(options.notifications?.burstMs === undefined ? {} : { burstMs: options.notifications.burstMs }),
          })
          .then((started) => {
            deliveries = started;
          });
      await startedDeliveries;
      const worker = await start.startWorker({
        ...{ database, databaseUrl, keyring, temporal, metrics: unmeasured, log },
        delivery,
        ...(options.apiDelivers === false ? { patienceMs: 0 } : {}),
        maintenance: {
          backup: {
            dir: maintenance?.backupDir ?? null,
            url: null,
            keep: maintenance?.backupKeep ?? 14,
            encrypt: true,
          },
          auditRetentionDays: maintenance?.auditRetentionDays ?? 90,
          eventRetentionDays: maintenance?.eventRetentionDays ?? null,
        },
        schedules: maintenance !== undefined,
        queues: maintenance?.queues ?? null,
        notifications: { mail, baseUrl: () => baseUrl, burst: options.notifyBurst ?? null },
        workflowBundle: { code: inject('workflowCode') },
        incidentPace: options.incidents,
        ...(options.notifications ? { notificationTimes: options.notifications } : {}),
        ...(options.stuckLimits === undefined ? {} : { stuckLimits: options.stuckLimits }),
        ...(options.overdueS === undefined ? {} : { overdueS: options.overdueS }),
      });
      workers.push(worker);
      return worker;
    },
    async stopWorker() {
      await Promise.all([deliveries, ...workers.splice(0)].map((running) => running?.stop()));
      deliveries = null;
      startedDeliveries = null;
    },
    async stop() {
      await gateway.stopWorker();
      await api.stop();
      stopWatching();
      await database.close();
      for (const dir of backupDirs) {
        note(leaksInFolder(dir));
        await rm(dir, { recursive: true, force: true });
      }
      // Otherwise the shared server would continue to run them.
      if (options.temporalAddress === undefined && options.maintenance) await removeSchedules(temporal);
    },
  };
  if (options.worker !== false) await gateway.startWorker();
  return gateway;
}
