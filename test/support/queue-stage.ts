import { randomBytes } from 'node:crypto';
import { Client, type ConnectionLike } from '@temporalio/client';
import { afterEach } from 'vitest';
import { AccountMasks } from '../../src/accounts/account-mask.ts';
import { FirstAttempts } from '../../src/attempts/first-attempts.ts';
import { AttemptRelay } from '../../src/attempts/relay.ts';
import { Attempts } from '../../src/delivery/attempt/attempt.ts';
import { droppedHeaders } from '../../src/delivery/dropped-headers.ts';
import { createSender } from '../../src/delivery/send.ts';
import { deliverySchedule } from '../../src/delivery/workflow-schedule.ts';
import { Commands } from '../../src/engine/commands.ts';
import { WorkflowDispatcher } from '../../src/engine/dispatcher.ts';
import { EngineLink } from '../../src/engine/engine-link.ts';
import { QueueWrites } from '../../src/engine/queue-writes.ts';
import { Starts } from '../../src/engine/starts.ts';
import { WorkflowEngine } from '../../src/engine/workflow-engine.ts';
import type { EventWorkflows } from '../../src/events/event-workflows.ts';
import { addNotifications } from '../../src/notifications/add-notifications.ts';
import { pendingNotifications } from '../../src/notifications/notification-store.ts';
import { ClaimReturns } from '../../src/processes/claim-returns.ts';
import { Heartbeat } from '../../src/processes/heartbeat.ts';
import { HeldClaims } from '../../src/processes/held-claims.ts';
import { Listener } from '../../src/processes/listener.ts';
import { secretConfigValues } from '../../src/providers/registry.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { unmeasured } from '../../src/telemetry/metrics/metrics.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { connectLazily } from '../../src/temporal/lazy-connection.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { type Consumer, startConsumer } from './consumer.ts';
import { defaultTimeLimitMs, slowDelaysMs, startGateway } from './gateway.ts';
import { log } from './runtime.ts';
import { rows } from './stored.ts';
import { until } from './until.ts';
import { useForAll } from './use.ts';

/** The parts of a process that delivers and starts workflows, composed as in the relays, but not started. */
export type Process = ReturnType<Awaited<ReturnType<typeof openQueueStage>>['process']>;

interface ProcessOptions {
  workflows?: EventWorkflows;
  accountConcurrency?: number;
  isAlive?: () => boolean;
  firstAttemptsPerS?: number;
}

/**
 * A gateway without a worker, PostgreSQL and Temporal. Tests start the parts of any number of relays themselves. No
 * worker polls the task queue, so workflows are started but make no attempts.
 */
async function openQueueStage() {
  const gateway = await startGateway({ worker: false });
  const { database, temporal } = gateway;
  const connection = await connectTemporal(temporal);
  await registerSearchAttributes(connection, temporal.namespace, log);
  const box = createSecretBox(gateway.keyring);
  const sender = createSender({ allowedNetworks: ['127.0.0.0/8'] });
  const schedule = deliverySchedule({ delaysMs: slowDelaysMs, timeLimitMs: defaultTimeLimitMs });
  const consumers: Consumer[] = [];
  const processes: { stop(): Promise<unknown> }[] = [];
  const ownConnection = connectLazily(temporal);
  const engineOn = (
    way: ConnectionLike,
    namespace: string,
    taskQueue = temporal.taskQueue,
    own: ConnectionLike = way,
  ) =>
    new WorkflowEngine({
      connection: way,
      ownConnection: own,
      namespace,
      taskQueue,
      schedule,
      eventLink: (id) => `https://gateway.test/dashboard/events/${id}`,
      log,
    });
  const attemptsOf = (options: Pick<ProcessOptions, 'accountConcurrency' | 'workflows'>) =>
    new Attempts({
      ...{ database, sender, box, log, metrics: unmeasured },
      accountConcurrency: options.accountConcurrency ?? 64,
      whenExhausted: addNotifications({ burst: null }),
      eventWorkflows: options.workflows ?? 'always',
      stalls: { since: () => false },
      consumers: { attempted: () => undefined },
      failures: { attempted: () => undefined },
      pendingNotifications: (event) => pendingNotifications(database, event),
      masks: new AccountMasks({ box, secretValues: secretConfigValues }),
      droppedHeaders: droppedHeaders(),
    });
  const started = <Part extends { start(): unknown; stop(): Promise<void> }>(part: Part): Part => {
    void part.start();
    processes.push(part);
    return part;
  };
  const stage = {
    gateway,
    /**
     * `up` works; `refusing` fails every call immediately, because its namespace does not exist; `invalid` fails starts
     * and retries with INVALID_ARGUMENT, because the name of its task queue is longer than the server's 1,000 bytes.
     */
    engines: {
      up: engineOn(connection, temporal.namespace, temporal.taskQueue, ownConnection),
      refusing: engineOn(connection, 'missing'),
      invalid: engineOn(connection, temporal.namespace, 'q'.repeat(1_001)),
    },
    engineOn: (way: ConnectionLike) => engineOn(way, temporal.namespace),
    workflow: new Client({ connection, namespace: temporal.namespace }).workflow,
    async account(...replies: Consumer['replies']) {
      const consumer = await startConsumer(...replies);
      consumers.push(consumer);
      return { ...(await gateway.admin.createAccount({ delivery_url: consumer.url })), consumer };
    },
    /** Sends webhooks one after another, so that the events' ids are in this order. */
    async send(account: { provider: string; account_slug: string }, count: number): Promise<string[]> {
      const ids: string[] = [];
      for (let n = 0; n < count; n++) {
        const { body } = await gateway.send(account, JSON.stringify({ id: randomBytes(8).toString('hex') }));
        ids.push(body.id);
      }
      return ids;
    },
    /** Moves events past their first attempt, as if it had failed (lane 1) or succeeded (lane 2). */
    async move(ids: string[], lane: 1 | 2): Promise<void> {
      const state = {
        1: `scheduled_attempts = 1, attempts = 1, next_attempt_at = now() + interval '10 min'`,
        2: `scheduled_attempts = 1, attempts = 1, delivery_status = 'delivered', delivered_at = now()`,
      }[lane];
      await rows(database, `update events set ${state} where id = any($1)`, [ids]);
      await rows(database, 'update event_queue set lane = $2 where event_id = any($1)', [ids, lane]);
    },
    queued: async (): Promise<string[]> =>
      (await rows(database, 'select event_id from event_queue order by event_id')).map(({ event_id }) => event_id),
    process(options: ProcessOptions = {}) {
      const { workflows = 'always', isAlive = () => true } = options;
      const link = new EngineLink();
      const writes = new QueueWrites(database);
      const claims = new HeldClaims();
      const attempts = attemptsOf(options);
      const returns = new ClaimReturns(database);
      const starts = new Starts({
        ...{ sql: database, engine: link, claims, writes, returns, log, workflows, isAlive },
        attemptsAreMade: () => false,
        machine: { firstAttemptsPerSHere: options.firstAttemptsPerS ?? 0, workersHere: 1 },
      });
      const firstAttempts = new FirstAttempts({
        ...{ sql: database, attempts, claims, returns, schedule, log, isAlive },
        paused: () => false,
      });
      const commands = new Commands({ sql: database, engine: link, writes, token: claims.token, log, isAlive });
      const parts = {
        ...{ link, claims, starts, commands, firstAttempts, attempts },
        async stop() {
          await Promise.all([firstAttempts.stop(), starts.stop(), commands.stop()]);
        },
      };
      processes.push(parts);
      return parts;
    },
    /**
     * A process with its heartbeat, which is started. Its other parts are not.
     *
     * @param options.hangs whether it says only once that it is alive, at its start
     */
    async alive(options: ProcessOptions & { makesFirstAttempts?: boolean; hangs?: boolean } = {}) {
      const process = stage.process({ ...options, isAlive: () => heartbeat.isAlive });
      const { claims, firstAttempts, starts } = process;
      const heartbeat = new Heartbeat({
        ...{
          claims,
          log,
          beatMs: options.hangs ? 3_600_000 : 50,
          role: 'api',
          makesFirstAttempts: options.makesFirstAttempts ?? true,
        },
        begun: () => firstAttempts.begun,
        onClaimable() {
          firstAttempts.wake();
          starts.wake();
        },
      });
      const session = new Listener({ url: gateway.databaseUrl, user: heartbeat, handlers: {}, log });
      session.start();
      heartbeat.start();
      processes.push({
        async stop() {
          await heartbeat.stop();
          await session.stop();
        },
      });
      await until('the process is alive', () => heartbeat.isAlive);
      return { ...process, heartbeat, session };
    },
    /** The first attempts of an api, started. */
    attemptRelay: (options: Pick<ProcessOptions, 'accountConcurrency' | 'workflows'> = {}) =>
      started(
        new AttemptRelay({
          ...{ sql: database, databaseUrl: gateway.databaseUrl, log },
          ...{ attempts: attemptsOf(options), schedule },
        }),
      ),
    /** The dispatcher of a worker, started and without a connection to Temporal. */
    workflowDispatcher: (options: { patienceMs?: number } = {}) =>
      started(
        new WorkflowDispatcher({
          ...{ database, databaseUrl: gateway.databaseUrl, log },
          lastAttempt: schedule.delaysMs.length + 1,
          whenExhausted: async () => undefined,
          onExhausted: () => undefined,
          patienceMs: options.patienceMs,
          eventWorkflows: 'always',
          backlogLimit: { events: 10_000, ageMs: 300_000 },
          overdueS: 120,
        }),
      ),
    /** Stops everything that a test has started, and empties the queue. */
    async clear() {
      for (const consumer of consumers) consumer.hangUp();
      await Promise.all(processes.splice(0).map((parts) => parts.stop()));
      await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
      await rows(database, 'delete from event_queue');
      await rows(database, 'delete from event_commands');
      await rows(database, 'delete from processes');
    },
    async close() {
      await stage.clear();
      await sender.close();
      await Promise.all([connection.close(), ownConnection.close()]);
      await gateway.stop();
    },
  };
  return stage;
}

/** One stage for all tests of a file, cleared after each. */
export function useQueueStage() {
  const stage = useForAll(openQueueStage, (opened) => opened.close());
  afterEach(() => stage.clear());
  return stage;
}
