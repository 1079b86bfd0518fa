import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction, sqlOfClient } from '../../src/database/transaction.ts';
import { channels, type DeliveryStatus, type EventStatus } from '../../src/events/event.ts';
import { ack } from '../../src/events/transitions/acknowledged.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { declareDead } from '../../src/events/transitions/declared-dead.ts';
import { replay, replayFailed } from '../../src/events/transitions/replayed.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { fillEvents, type StoredFields } from './fill-events.ts';

const dayMs = 86_400_000;
let gateway: TestGateway;
let account: { id: string };
let other: pg.Client;
beforeEach(async () => {
  gateway = await startGateway({ worker: false });
  account = await gateway.admin.createAccount({});
  other = new pg.Client({ connectionString: gateway.databaseUrl });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  await gateway.stop();
});

const event = (
  status: EventStatus,
  deliveryStatus: DeliveryStatus | null,
  fields: Partial<StoredFields> = {},
): StoredFields => ({
  receivedAt: new Date(),
  accountId: account.id,
  provider: 'generic',
  accountSlug: 'slug',
  appKey: 'app',
  eventType: null,
  externalId: 'x',
  ...{ status, deliveryStatus, attempts: 10, deliveredAt: null, nextAttemptAt: null },
  ...fields,
});
/** `n` failed events of the last days. */
const failedEvents = (n: number, days = 5) =>
  Array.from({ length: n }, (_, i) =>
    event('failed', 'failed', { receivedAt: new Date(Date.now() - (i % days) * dayMs) }),
  );
const generations = async () =>
  rows(gateway.database, 'select generation, count(*)::integer as n from events group by 1 order by 1');
const state = async (id: string | undefined) => {
  const [row] = await rows(
    gateway.database,
    `select e.status, e.delivery_status, e.generation, e.attempts, e.scheduled_attempts, e.manual_attempts, e.last_error, e.response_code, e.delivered_at,
       e.next_attempt_at, e.held_since, e.generation_at > now() - interval '1 minute' as fresh, to_jsonb(q) - 'event_id' as queued
     from events e left join event_queue q on q.event_id = e.id where e.id = $1`,
    [id],
  );
  return row;
};

test('replays failed events of any day, and skips dead, rejected, pending and delivered ones', async () => {
  const gone = await gateway.admin.createAccount({});
  await gateway.admin.request('DELETE', `/admin/accounts/${gone.id}`);
  const receivedAt = (days: number) => ({ receivedAt: new Date(Date.now() - days * dayMs) });
  const taken = await fillEvents(gateway.database, [
    event('failed', 'failed'),
    event('processed', 'failed', receivedAt(3)),
    event('failed', 'delivered', receivedAt(3)),
    event('failed', 'pending', receivedAt(100)),
    event('enqueued', 'failed', receivedAt(-20)),
  ]);
  const left = await fillEvents(gateway.database, [
    event('dead', 'failed'),
    event('dead', 'delivered'),
    event('failed', null),
    event('rejected', null),
    event('enqueued', 'delivered'),
    event('processed', 'delivered'),
    event('enqueued', 'pending'),
    event('failed', 'failed', { accountId: gone.id }),
  ]);
  expect(await replayFailed(gateway.database)).toBe(taken.length);
  const replayed = await rows(gateway.database, 'select id from events where generation = 1');
  expect(replayed.map(({ id }) => id).sort()).toEqual([...taken].sort());
  expect(
    await rows(gateway.database, 'select id from events where id = any($1) and generation = 0', [left]),
  ).toHaveLength(left.length);
  expect(await replayFailed(gateway.database)).toBe(0);
}, 30_000);

test('resets each event as the replay of a single event does', async () => {
  const [one, many] = await fillEvents(gateway.database, failedEvents(2, 1));
  await gateway.database.pool.query(
    `update events set scheduled_attempts = 10, manual_attempts = 2, last_error = 'no', response_code = 500, held_since = now(), delivered_at = now()`,
  );
  // Including an event that is queued and claimed.
  await gateway.database.pool.query(
    `insert into event_queue (event_id, account_id, generation, lane, direct, claimed_until, claim_token)
     select id, account_id, 0, 2, true, now() + interval '1 minute', $1 from events`,
    [randomUUID()],
  );
  await replay(gateway.database, one ?? '');
  expect(await replayFailed(gateway.database)).toBe(1);
  expect(await state(many)).toEqual(await state(one));
  expect(await state(many)).toMatchObject({
    status: 'received',
    delivery_status: 'pending',
    generation: 1,
    attempts: 0,
    fresh: true,
  });
});

test('filters by application, by provider and by both, and quotes their names', async () => {
  const names = ['app', `it's "%L" \\ '; drop table events; --`];
  const events = names.flatMap((appKey) =>
    ['generic', 'mail'].map((provider) => event('failed', 'failed', { appKey, provider })),
  );
  await fillEvents(gateway.database, events);
  expect(await replayFailed(gateway.database, { app_key: 'absent' })).toBe(0);
  expect(await replayFailed(gateway.database, { app_key: names[1], provider: 'mail' })).toBe(1);
  expect(await replayFailed(gateway.database, { app_key: names[1] })).toBe(1);
  expect(await replayFailed(gateway.database, { provider: 'mail' })).toBe(1);
  expect(await replayFailed(gateway.database)).toBe(1);
});

test('wakes the relay only if an event was replayed', async () => {
  let told = 0;
  other.on('notification', () => told++);
  await other.query(`listen ${channels.queue}`);
  expect(await replayFailed(gateway.database)).toBe(0);
  await other.query('select 1');
  expect(told).toBe(0);
  await fillEvents(gateway.database, failedEvents(3));
  await replayFailed(gateway.database);
  await until('the relay is told', async () => told > 0);
});

test('is part of its caller’s transaction', async () => {
  await fillEvents(gateway.database, failedEvents(10));
  const rolledBack = inTransaction(gateway.database.pool, async (client) => {
    expect(await replayFailed(sqlOfClient(client))).toBe(10);
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  expect(await generations()).toEqual([{ generation: 0, n: 10 }]);
  expect(await rows(gateway.database, 'select * from event_queue')).toEqual([]);
}, 30_000);

describe('concurrently', () => {
  test('eight calls replay each event once', async () => {
    await fillEvents(gateway.database, failedEvents(2_000));
    const replayed = await Promise.all(Array.from({ length: 8 }, () => replayFailed(gateway.database)));
    expect(replayed.reduce((sum, n) => sum + n, 0)).toBe(2_000);
    expect(await generations()).toEqual([{ generation: 1, n: 2_000 }]);
    expect(
      await rows(gateway.database, 'select count(*)::integer as n from event_queue where generation = 1 and lane = 0'),
    ).toEqual([{ n: 2_000 }]);
  }, 30_000);

  test.each<[string, (id: string) => Promise<unknown>, Record<string, unknown>]>([
    [
      'a declaration as dead',
      (id) => other.query(`update events set status = 'dead' where id = $1`, [id]),
      { status: 'dead', generation: 0 },
    ],
    [
      'a success',
      (id) => other.query(`update events set status = 'processed', delivery_status = 'delivered' where id = $1`, [id]),
      { delivery_status: 'delivered', generation: 0 },
    ],
    [
      'another replay',
      (id) =>
        other.query(
          `update events set generation = 1, status = 'received', delivery_status = 'pending' where id = $1`,
          [id],
        ),
      { generation: 1 },
    ],
    [
      'an unrelated change',
      (id) => other.query(`update events set swept_at = now() where id = $1`, [id]),
      { generation: 1, status: 'received' },
    ],
  ])(
    '%s that commits first is respected',
    async (_name, change, wanted) => {
      const ids = await fillEvents(gateway.database, failedEvents(9, 3));
      const id = ids[4] ?? '';
      await other.query('begin');
      await change(id);
      const replaying = replayFailed(gateway.database);
      const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until('it waits for the event', async () => (await other.query(waits)).rowCount === 1);
      await other.query('commit');
      expect(await replaying).toBe(_name === 'an unrelated change' ? 9 : 8);
      expect(await state(id)).toMatchObject(wanted);
    },
    30_000,
  );

  test('commands of operators and attempts are all applied', async () => {
    const ids = await fillEvents(gateway.database, failedEvents(200));
    const recorder = new OutcomeRecorder(gateway.database, async () => undefined);
    const work = ids.map(async (id, n) => {
      if (n % 4 === 0) return ack(gateway.database, id);
      if (n % 4 === 1) return declareDead(gateway.database, id, null);
      if (n % 4 === 2) return null;
      return recorder.record({
        ...{
          eventId: id,
          generation: 0,
          trigger: 'manual',
          number: 1,
          startedAt: new Date(),
          durationMs: 1,
          outcome: 'delivered',
        },
        ...{
          responseCode: 200,
          responseBody: '',
          error: null,
          url: null,
          succeeded: true,
          last: false,
          nextAttemptAt: null,
          claimToken: null,
        },
      });
    });
    await Promise.all([...work, ...Array.from({ length: 4 }, () => replayFailed(gateway.database))]);
    expect(
      await rows(gateway.database, 'select * from events where id = any($1)', [ids.filter((_, n) => n % 4 === 0)]),
    ).toSatisfy((events: { status: string; generation: number; delivery_status: string }[]) =>
      events.every(
        (e) => (e.status === 'processed' && e.generation <= 1) || (e.generation >= 1 && e.status === 'received'),
      ),
    );
    const dead = await rows(gateway.database, 'select status from events where id = any($1)', [
      ids.filter((_, n) => n % 4 === 1),
    ]);
    expect(dead).toEqual(Array(50).fill({ status: 'dead' }));
    expect(await rows(gateway.database, 'select * from delivery_attempts')).toHaveLength(50);
    const unqueued = await rows(
      gateway.database,
      `select 1 from events e where generation > 0 and not exists (select 1 from event_queue q where q.event_id = e.id and q.generation = e.generation)`,
    );
    expect(unqueued).toEqual([]);
  }, 30_000);
});
