import type { WorkerDeploymentVersion } from '@temporalio/common';
import { createDeliveryActivities } from '../../activities/delivery-activities.ts';
import { createMaintenanceActivities } from '../../activities/maintenance-activities.ts';
import { activitiesOfQueues } from '../../activities/of-queues.ts';
import type { Purpose } from '../../workflows/queues.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { backupPlace, openBackupStore } from '../backups/open-backup-store.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { daysAhead, ensurePartitions } from '../database/partitions.ts';
import { checkSchema } from '../database/schema-check.ts';
import type { Sql } from '../database/sql.ts';
import { deliverySchedule } from '../delivery/workflow-schedule.ts';
import { WorkflowDispatcher } from '../engine/dispatcher.ts';
import { EndedByHand } from '../engine/ended-by-hand.ts';
import { type StuckLimits, StuckWorkflows, stuckLimits } from '../engine/stuck-workflows.ts';
import { WorkflowEngine } from '../engine/workflow-engine.ts';
import { BulkWorker } from '../events/bulk/bulk-worker.ts';
import { foldStatistics } from '../events/fold-statistics.ts';
import { stopNextEvents } from '../events/transitions/account-deleted.ts';
import { applyWaitingReplays } from '../events/transitions/replayed.ts';
import { overdueS } from '../events/transitions/swept.ts';
import { createGatewayWatch } from '../incidents/gateway-watch.ts';
import { createIncidentJudge } from '../incidents/judging/judge.ts';
import type { IncidentPace } from '../incidents/judging/times.ts';
import { MaintenanceSchedules } from '../maintenance/schedules/schedules.ts';
import type { MaintenanceSettings } from '../maintenance/settings.ts';
import { createPlaces } from '../notifications/incident-messages/place.ts';
import { tellIncidents } from '../notifications/incident-messages/tell-incidents.ts';
import { dashboardLinks } from '../notifications/links.ts';
import type { NotificationSettings } from '../notifications/settings.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { registerKeyring } from '../secrets/known-keys.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import type { Running } from '../shared/running.ts';
import { settlesWithin } from '../shared/settles-within.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { TemporalAccess } from '../temporal/connection.ts';
import { connectLazily } from '../temporal/lazy-connection.ts';
import { takenQueues } from '../temporal/taken-queues.ts';
import { TemporalHealth } from '../temporal/temporal-health.ts';
import { EngineWorker } from '../temporal/worker.ts';
import { composeAttempts } from './compose-attempts.ts';
import { composeNotifications, type NotificationParts } from './compose-notifications.ts';
import { conditionsOfWorker } from './gateway-conditions.ts';

/** Several times a day, so that a worker that is restarted daily still creates them. */
const partitionsMs = 6 * 60 * 60_000;
/** Often enough that the statistics read few unfolded deltas, whose number grows with the rate of ingestion. */
const foldMs = 1_000;

/** Workers are not notified of a large replay or deletion, and polling an empty table is cheap. */
const pollMs = 500;
/** A cancelled delivery is dead within 5 s, a terminated one goes on within 15 s. Temporal's list is up to a second late. */
const byHandMs = 2_000;
/** The pause between two batches of a bulk job is 200 ms. */
const bulkPollMs = 200;

/**
 * How long work in flight may take to end at a stop. It is more than the 20 s of grace of the Temporal workers, and less
 * than the limits of the processes that run a worker (`stop` in program.ts, `stopLimitMs` in main.ts), so that this
 * process closes its connections in order. Only attempts with a DELIVERY_TIMEOUT of more than 30 s take longer.
 */
const stopLimitMs = 35_000;
/**
 * How long a stop waits for PostgreSQL to record what was sent. A second more than the 20 s of grace, after which Temporal cancels
 * the activities, so that the cancellation is their reason. Temporal cancels none a second time that has timed out before.
 */
const recordLimitMs = 21_000;

/** A worker that runs until it is stopped. */
export interface RunningWorker extends Running {
  /** Resolves when the Temporal worker runs, or when its first try to connect has failed. */
  readonly engineTried: Promise<void>;
  /** Whether the Temporal worker polls, and whether Temporal answers. */
  readonly temporal: TemporalHealth;
  /** The purposes that it takes. */
  readonly takes: readonly Purpose[];
}

/** Starts everything of Temporal: the dispatcher that starts workflows, and the Temporal worker. */
export async function startWorker(options: {
  database: Database;
  databaseUrl: string;
  keyring: Keyring;
  temporal: TemporalAccess;
  delivery: Config['delivery'];
  notifications: NotificationSettings;
  maintenance: MaintenanceSettings;
  /** The purposes that this worker takes, as WORKER_QUEUES. Default: all that it can serve. */
  queues?: readonly Purpose[] | null;
  /** The version of this worker for Temporal. Default: none. */
  build?: WorkerDeploymentVersion | null;
  /** False creates no maintenance schedules, for tests that they would disturb. */
  schedules?: boolean;
  workflowBundle: { code: string };
  /** Seconds after which events and notifications count as overdue; two minutes by default, less in tests. */
  overdueS?: number;
  /** How long first attempts wait for an `api` that makes them; less in tests. */
  patienceMs?: number;
  /** When a workflow counts as stuck; less in tests. */
  stuckLimits?: StuckLimits;
  /** See `NotificationParts`. */
  notificationTimes?: NotificationParts['times'];
  incidentPace?: IncidentPace | undefined;
  metrics: Metrics;
  log: Log;
}): Promise<RunningWorker> {
  const { database, delivery, metrics, log } = options;
  const box = createSecretBox(options.keyring);
  await checkSchema(database);
  await registerKeyring(database, options.keyring);
  const { notificationTimes: times, incidentPace } = options;
  const placeOf = createPlaces({ keyring: options.keyring, box });
  const judge = createIncidentJudge({ database, tell: tellIncidents(placeOf), log, pace: incidentPace });
  const attempting = composeAttempts({
    ...{ database, box, delivery, burst: options.notifications.burst, metrics, log },
    ...{ incidentPace, onOpening: () => judge.wake() },
    ...(times?.burstMs === undefined ? {} : { burstMs: times.burstMs }),
  });
  const { attempts, sender, whenExhausted } = attempting;
  const schedule = deliverySchedule(delivery);
  const lateS = options.overdueS ?? overdueS;
  const { notifier, pollers: notificationPollers } = composeNotifications({
    ...{ database, box, placeOf, sender, metrics, log, overdueS: lateS },
    timeLimitMs: delivery.timeLimitMs,
    notifications: options.notifications,
    ...(times ? { times } : {}),
  });
  const dispatcher = new WorkflowDispatcher({
    database,
    databaseUrl: options.databaseUrl,
    eventWorkflows: delivery.eventWorkflows,
    backlogLimit: delivery.eventWorkflowsBacklog,
    lastAttempt: schedule.delaysMs.length + 1,
    whenExhausted,
    onExhausted: () => metrics.deliveryExhausted(),
    log,
    overdueS: lateS,
    patienceMs: options.patienceMs,
  });
  const { backup } = options.maintenance;
  const takes = takenQueues(options.queues ?? null, { hasBackupPlace: backupPlace(backup) !== null });
  const store = takes.has('backups') ? await openBackupStore(backup, log) : null;
  if (store)
    log.info(
      { place: store.place, encrypted: backup.encrypt },
      'backups cannot be restored without SECRETS_KEY: keep it in another place',
    );
  const ending = new AbortController();
  const recordingEnds = new AbortController();
  const schedules = new MaintenanceSchedules({ ...options.temporal, settings: options.maintenance, takes, log });
  const temporal = new TemporalHealth();
  const ownConnection = connectLazily(options.temporal);
  let stuckWorkflows: StuckWorkflows | null = null;
  const audit = new AuditLog({ database, keyring: options.keyring, log });
  const byHand = new EndedByHand({ database, audit, metrics, log });
  const worker = new EngineWorker({
    temporal: options.temporal,
    purposes: [...takes],
    build: options.build ?? null,
    activities: activitiesOfQueues(
      createDeliveryActivities({ attempts, notifier, log, recordingEnds: recordingEnds.signal }),
      createMaintenanceActivities({
        ...{ database, keyring: options.keyring, store, keep: backup.keep, encrypt: backup.encrypt },
        ...{ notifier, overdueS: lateS, metrics, log },
        stuckWorkflows: () => stuckWorkflows,
        ending: ending.signal,
        recordingEnds: recordingEnds.signal,
      }),
    ),
    workflowBundle: options.workflowBundle,
    onEnd: (end) => byHand.told(end),
    log,
    onConnection(connection) {
      const { namespace, taskQueue } = options.temporal;
      temporal.set(connection);
      byHand.setConnection(connection, namespace);
      const { event: eventLink } = dashboardLinks(options.notifications.baseUrl);
      dispatcher.setEngine(
        connection && new WorkflowEngine({ connection, ownConnection, namespace, taskQueue, schedule, eventLink, log }),
      );
      const limits = options.stuckLimits ?? stuckLimits;
      stuckWorkflows = connection && new StuckWorkflows({ connection, namespace, limits });
      schedules.connected(connection);
    },
  });
  const partitions = new Poller({
    name: 'partitions of the coming days',
    idleMs: partitionsMs,
    log,
    async work() {
      await ensurePartitions(database, new Date(), daysAhead);
      return 'idle';
    },
  });
  /** A poller that processes batches until no work is left. */
  const drain = (name: string, idleMs: number, some: (sql: Sql) => Promise<boolean>) =>
    new Poller({ name, idleMs, log, work: async () => ((await some(database)) ? 'more' : 'idle') });
  const bulk = new BulkWorker({ database, audit, log });
  const watch = createGatewayWatch({
    ...{ sql: database, watchMs: incidentPace?.watchMs, log, onOpening: () => judge.wake() },
    conditions: conditionsOfWorker({ database, folders: [backup.dir], log, temporal }),
  });
  const pollers = [
    // Also of a worker that only makes backups: their disk may be its own.
    watch,
    ...(takes.has('notifications') ? notificationPollers : []),
    ...(takes.has('deliveries')
      ? [
          partitions,
          judge,
          drain('statistics', foldMs, foldStatistics),
          drain('replays of failed events', pollMs, applyWaitingReplays),
          drain('events of deleted accounts', pollMs, stopNextEvents),
          new Poller({ name: 'workflows ended by hand', idleMs: byHandMs, log, work: () => byHand.round() }),
          new Poller({ name: 'bulk jobs', idleMs: bulkPollMs, log, work: () => bulk.round() }),
        ]
      : []),
  ];
  for (const poller of pollers) poller.start();
  if (takes.has('deliveries')) dispatcher.start();
  worker.start();
  if (options.schedules !== false) schedules.start();
  return {
    engineTried: worker.tried,
    temporal,
    takes: [...takes],
    async stop() {
      const quiet = Promise.all([...pollers, schedules].map((poller) => poller.stop()));
      // Producers of work before its consumers: eager starts need the Temporal workers.
      if (takes.has('deliveries')) await dispatcher.stop();
      const ended = Promise.all([quiet, worker.stop()]);
      // When the Temporal workers poll no more, so that another process gets what is aborted here.
      ending.abort();
      const inTime = await settlesWithin(ended, recordLimitMs).finally(() => recordingEnds.abort());
      if (inTime || (await settlesWithin(ended, stopLimitMs - recordLimitMs))) await attempting.close();
      else log.warn({ limitMs: stopLimitMs }, 'work still in flight at the stop, other workers repeat it');
      await Promise.all([store?.close(), ownConnection.close()]);
    },
  };
}
