import { expect } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { lockKeys } from '../../../src/database/lock-keys.ts';
import { dailyTables } from '../../../src/database/partitions.ts';
import type { Sql } from '../../../src/database/sql.ts';
import { deliveryStatistics } from '../../../src/events/delivery-statistics.ts';
import { EventReceiver } from '../../../src/events/event-receiver.ts';
import type { Outcome } from '../../../src/events/outcome.ts';
import { OutcomeRecorder } from '../../../src/events/transitions/attempt-recorded.ts';
import type { ReceivedWebhook } from '../../../src/events/transitions/received.ts';
import { createLog } from '../../../src/shared/log.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import type { TestGatewayOptions } from '../../support/gateway-options.ts';
import { ownLocks } from '../../support/own-locks.ts';
import { outcomeOf, receivedEvent, rejectedEvent, rejectionRecorder } from '../../support/received.ts';
import { rows } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { useForEach } from '../../support/use.ts';

export const dayMs = 86_400_000;
export const log = createLog('silent');

/** The start of the test file. Dates are relative to it, so that midnight during the tests changes none. */
export const began = new Date();
/** Midnight (UTC) of the day so many days before that. */
export const midnight = (daysAgo: number) => new Date((Math.floor(began.getTime() / dayMs) - daysAgo) * dayMs);
export const isoOf = (day: Date) => day.toISOString().slice(0, 10);

/** A gateway without a worker, with events received on past days. */
export async function openStage(options: TestGatewayOptions = {}) {
  const gateway = await startGateway({ worker: false, ...options });
  const { database } = gateway;
  const account = await gateway.admin.createAccount({});
  const receiver = new EventReceiver(database);
  const rejections = rejectionRecorder(database);
  const recorder = new OutcomeRecorder(database, async () => undefined);

  const receive = async (receivedAt: Date, fields: Partial<ReceivedWebhook> = {}) => {
    const event = receivedEvent(account, { receivedAt, ...fields });
    expect(await receiver.receive(event)).toEqual({ kind: 'stored' });
    return event.id;
  };
  const attempt = async (eventId: string, fields: Partial<Outcome> = {}) => {
    await recorder.record(outcomeOf(eventId, { last: true, ...fields }));
    // As if the dispatcher had recorded that its workflow runs.
    await database.pool.query('delete from event_queue where event_id = $1', [eventId]);
    await database.pool.query(`update events set status = 'enqueued' where id = $1 and status = 'received'`, [eventId]);
  };
  return {
    ...{ gateway, database, account, receiver, receive, attempt },
    /** Creates an event that was delivered a second after its receipt. */
    async delivered(receivedAt: Date, fields: Partial<ReceivedWebhook> = {}) {
      const id = await receive(receivedAt, fields);
      await attempt(id, { startedAt: new Date(receivedAt.getTime() + 1_000) });
      return id;
    },
    /** Creates an event whose ten attempts failed. */
    async failed(receivedAt: Date) {
      const id = await receive(receivedAt);
      await attempt(id, { number: 10, succeeded: false, outcome: 'http_error', error: 'no' });
      return id;
    },
    async rejected(receivedAt: Date, fields: Partial<ReceivedWebhook> = {}) {
      const event = rejectedEvent(account, { receivedAt, ...fields });
      await rejections.record(event.accountId, () => event);
      return event.id;
    },
  };
}
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A new stage for each test. */
export const useRetentionStage = (): Stage =>
  useForEach(
    () => openStage(),
    ({ gateway }) => gateway.stop(),
  );

/** The days (`2026-11-20`) of which a table has a partition, oldest first. */
export async function daysOf(database: Database, table: string): Promise<string[]> {
  const found = await rows(
    database,
    `select right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1`,
    [table],
  );
  return found.map(({ day }) => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`);
}

/** Whether a day has all its tables. Throws if it has only some. */
export async function hasDay(database: Database, day: Date): Promise<boolean> {
  const found = await Promise.all(
    dailyTables.map(async (table) => (await daysOf(database, table)).includes(isoOf(day))),
  );
  expect(new Set(found).size).toBe(1);
  return found[0] === true;
}

const statisticsTables = {
  event_stats: `select hour, provider, sum(stored) as stored, sum(pending) as pending, sum(delivered) as delivered, sum(failed) as failed, sum(retrying) as retrying,
      sum(rejected) as rejected, sum(open_state) as open, sum(processed_state) as processed, sum(failed_state) as failed_state, sum(dead_state) as dead,
      sum(rejected_state) as rejected_state, sum(attempts) as attempts
    from (select * from event_stats union all select * from event_stat_deltas) s group by 1, 2 having sum(stored) <> 0 or sum(attempts) <> 0 order by 1, 2`,
  event_latencies: `select hour, bucket, sum(n) as n from (select * from event_latencies union all select * from event_latency_deltas) l
    where hour >= now() - interval '47 hours' group by 1, 2 having sum(n) <> 0 order by 1, 2`,
  event_values: 'select * from event_values order by kind, value, day',
};

async function readStatistics(sql: Sql, latencies: boolean) {
  const tables: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(statisticsTables))
    if (latencies || name !== 'event_latencies') tables[name] = await sql.query({ name: '', text }, []);
  const { latency_ms, ...counts } = await deliveryStatistics(sql);
  return { ...tables, answer: latencies ? { latency_ms, ...counts } : counts };
}

/**
 * Expects all statistics to equal a recount of the tables, hour by hour and value by value.
 *
 * @param latencies false if events delivered in the last hours were dropped: the latencies keep these deliveries.
 */
export async function expectExact(database: Database, { latencies = true } = {}): Promise<void> {
  // now() is constant in a transaction. Otherwise an hour that ends between the two queries would be a difference.
  const [kept, counted] = await database.transaction(async (sql) => {
    const before = await readStatistics(sql, latencies);
    await sql.query({ name: '', text: 'select recount_events()' }, []);
    return [before, await readStatistics(sql, latencies)];
  });
  expect(kept).toEqual(counted);
}

/** Runs statements on a separate connection in a transaction; `end` rolls back. */
export async function inOther(gateway: TestGateway, ...statements: string[]) {
  const client = await gateway.database.pool.connect();
  await client.query('begin');
  for (const text of statements) await client.query(text);
  return {
    client,
    async end() {
      await client.query('rollback');
      client.release();
    },
  };
}

/** Blocks each process that is about to lock the tables of a day, after it has made its first check. */
export async function holdBeforeLocks(gateway: TestGateway) {
  const other = await inOther(gateway, `select pg_advisory_xact_lock(${lockKeys.partitions})`);
  return {
    end: other.end,
    /** The server process that waits for the lock. */
    waiting: () =>
      until('a process waits for the lock', async () => {
        const [found] = await gateway.rows(
          `select l.pid from ${ownLocks} l where l.locktype = 'advisory' and not l.granted`,
        );
        return found?.pid as number | undefined;
      }),
  };
}
