import { expect, test } from 'vitest';
import { lockKeys } from '../../../src/database/lock-keys.ts';
import { ensurePartitions } from '../../../src/database/partitions.ts';
import { replay } from '../../../src/events/transitions/replayed.ts';
import { dropDay } from '../../../src/maintenance/retention/drop-day.ts';
import { dropExpiredDays } from '../../../src/maintenance/retention/drop-expired-days.ts';
import { ownLocks } from '../../support/own-locks.ts';
import { rows } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import {
  dayMs,
  daysOf,
  expectExact,
  hasDay,
  holdBeforeLocks,
  inOther,
  isoOf,
  log,
  midnight,
  type Stage,
  useRetentionStage,
} from './stage.ts';

// Dropping a day while other transactions use its tables.

const stage = useRetentionStage();

const noon = (daysAgo: number) => new Date(midnight(daysAgo).getTime() + dayMs / 2);
/** One wait for locks, longer than any test holds them. */
const patient = [30_000];
const everything = `select count(*) from events, event_payloads, delivery_attempts, notifications`;

test('a replay between the two checks of a day keeps the day, and the event is complete', async () => {
  const { database, gateway, failed } = stage;
  const id = await failed(noon(20));
  const hold = await holdBeforeLocks(gateway);
  const dropping = dropDay(database, midnight(20), patient);
  await hold.waiting();
  expect((await gateway.admin.post(`/admin/events/${id}/replay`)).status).toBe(202);
  await hold.end();
  expect(await dropping).toEqual({ kind: 'kept', reason: 'pending_events' });
  expect((await gateway.admin.request('GET', `/admin/events/${id}`)).body).toMatchObject({
    delivery_status: 'pending',
    generation: 1,
  });
  await expectExact(database);
});

test('a replay that starts and ends between the two checks is counted: the day is read again', async () => {
  const { database, gateway, delivered, attempt } = stage;
  const id = await delivered(noon(20));
  const hold = await holdBeforeLocks(gateway);
  const dropping = dropDay(database, midnight(20), patient);
  await hold.waiting();
  await replay(database, id);
  await attempt(id, { generation: 1 });
  await hold.end();
  expect(await dropping).toMatchObject({ kind: 'dropped' });
  await expectExact(database, { latencies: false });
});

test('a late event between the two checks stays', async () => {
  const { database, gateway, delivered, receive } = stage;
  await delivered(noon(20));
  const hold = await holdBeforeLocks(gateway);
  const dropping = dropDay(database, midnight(20), patient);
  await hold.waiting();
  const id = await receive(noon(20));
  await hold.end();
  expect(await dropping).toEqual({ kind: 'kept', reason: 'pending_events' });
  expect(await rows(database, 'select 1 from event_payloads where event_id = $1', [id])).toHaveLength(1);
  await expectExact(database);
});

/** Lets the drop lock its first tables and wait for the last one. */
async function holdAmongLocks({ database, gateway }: Stage) {
  const before = await holdBeforeLocks(gateway);
  const dropping = dropDay(database, midnight(20), patient);
  const pid = await before.waiting();
  const reader = await inOther(gateway, 'lock table only notifications in access share mode');
  await before.end();
  await until('the first tables are locked', async () => {
    const locked = await rows(
      database,
      `select 1 from ${ownLocks} where pid = $1 and relation = 'delivery_attempts'::regclass and mode = 'AccessExclusiveLock' and granted`,
      [pid],
    );
    return locked.length > 0;
  });
  return { dropping, pid, end: reader.end };
}

test('a statement that waits for a day that is dropped finds no rows of it', async () => {
  const { database, gateway, failed } = stage;
  const id = await failed(noon(20));
  const { dropping, end } = await holdAmongLocks(stage);
  const calls = ['ack', 'replay', 'fail'].map((name) => gateway.admin.post(`/admin/events/${id}/${name}`));
  const asked = gateway.admin.request('GET', `/admin/events/${id}`);
  // A watch of the gateway may wait, too.
  await until('all statements wait', async () => {
    const waiting = await rows(
      database,
      `select 1 from ${ownLocks} where relation = 'events'::regclass and not granted`,
    );
    return waiting.length >= 4;
  });
  await end();
  expect(await dropping).toMatchObject({ kind: 'dropped' });
  for (const { status } of await Promise.all([...calls, asked])) expect(status).toBe(404);
  await expectExact(database);
});

test('when the server process of a drop dies before it locks a table, nothing has changed', async () => {
  const { database, gateway, failed } = stage;
  const id = await failed(noon(20));
  const hold = await holdBeforeLocks(gateway);
  const dropping = dropDay(database, midnight(20), patient).catch((error: Error) => error);
  await rows(database, 'select pg_terminate_backend($1)', [await hold.waiting()]);
  expect(await dropping).toBeInstanceOf(Error);
  await hold.end();
  await expectWhole(id);
});

test('when the server process of a drop dies while it holds locks, nothing has changed', async () => {
  const id = await stage.failed(noon(20));
  const { dropping, pid, end } = await holdAmongLocks(stage);
  const ended = dropping.catch((error: Error) => error);
  await rows(stage.database, 'select pg_terminate_backend($1)', [pid]);
  expect(await ended).toBeInstanceOf(Error);
  await end();
  await expectWhole(id);
});

async function expectWhole(id: string) {
  const { database, gateway } = stage;
  expect((await gateway.admin.request('GET', `/admin/events/${id}`)).status).toBe(200);
  expect(await hasDay(database, midnight(20))).toBe(true);
  await expectExact(database);
  expect(await dropDay(database, midnight(20))).toMatchObject({ kind: 'dropped' });
}

test.each([
  ['a backup that reads everything', ['set transaction isolation level repeatable read', everything]],
  ['a list of that day', [`select * from events where received_at < now() - interval '10 days' limit 1`]],
])('%s keeps the day without blocking others, and the next run drops it', async (_, statements) => {
  const { database, gateway, account, delivered } = stage;
  const old = await delivered(noon(20));
  const reader = await inOther(gateway, ...statements);
  const result = await dropExpiredDays(database, { olderThanDays: 10, log });
  expect(result.dropped).toEqual([]);
  expect(result.kept).toContainEqual({ day: isoOf(noon(20)), reason: 'busy' });

  // The tries have released all locks, while the reader continues.
  const body = JSON.stringify({ id: 'now', type: 'order' });
  expect((await gateway.send(account, body)).status).toBe(202);
  expect((await gateway.admin.post(`/admin/events/${old}/replay`)).status).toBe(202);
  await ensurePartitions(database, new Date('2031-01-01T00:00:00Z'), 3);
  expect(await daysOf(database, 'events')).toContain('2031-01-02');

  await reader.end();
  await database.pool.query(`delete from event_queue`);
  await database.pool.query(`update events set delivery_status = 'delivered' where id = $1`, [old]);
  expect((await dropExpiredDays(database, { olderThanDays: 10, log })).dropped).toContain(isoOf(noon(20)));
  expect(await hasDay(database, midnight(20))).toBe(false);
});

test('webhooks are accepted without waiting while a reader keeps days from being dropped', async () => {
  const { database, gateway, account, delivered } = stage;
  await delivered(noon(20));
  const reader = await inOther(gateway, everything);
  let stopped = false;
  const statuses: number[] = [];
  const sending = Array.from({ length: 4 }, async (_, lane) => {
    for (let n = 0; !stopped; n++)
      statuses.push((await gateway.send(account, JSON.stringify({ id: `${lane}-${n}` }))).status);
  });
  // A check sees a reader only once it is a second old, so there are both tries to lock and checks.
  for (let n = 0; n < 3; n++) expect((await dropExpiredDays(database, { olderThanDays: 10, log })).dropped).toEqual([]);
  const taken = statuses.length;
  await until('further webhooks are accepted', () => statuses.length > taken + 10);
  stopped = true;
  await Promise.all(sending);
  await reader.end();
  expect(new Set(statuses)).toEqual(new Set([202]));
});

test('lists, filters, statistics and events are answered while days are dropped', async () => {
  const { database, gateway, delivered } = stage;
  const ids: string[] = [];
  for (let daysAgo = 10; daysAgo < 30; daysAgo++) ids.push(await delivered(noon(daysAgo)));
  const paths = [
    '/admin/events?limit=100',
    '/admin/events?limit=100&provider=generic',
    '/admin/events?limit=10&offset=5',
    '/admin/events?delivery_status=delivered',
    '/admin/events/filters',
    '/admin/delivery/stats',
    '/admin/delivery/failed',
  ];
  let stopped = false;
  const statuses: Record<string, number[]> = {};
  const asking = [...paths, ...ids.slice(0, 4).map((id) => `/admin/events/${id}`)].map(async (path) => {
    const seen: number[] = [];
    statuses[path.startsWith('/admin/events/0') ? 'event' : path] = seen;
    while (!stopped) seen.push((await gateway.admin.request('GET', path)).status);
  });
  const { dropped } = await dropExpiredDays(database, { olderThanDays: 5, log });
  stopped = true;
  await Promise.all(asking);
  expect(dropped.length).toBeGreaterThan(0);
  const { event, ...others } = statuses;
  expect([...new Set(event)].every((status) => status === 200 || status === 404)).toBe(true);
  for (const [path, seen] of Object.entries(others)) expect([path, ...new Set(seen)]).toEqual([path, 200]);
});

test('processes create partitions one after another, and wait at most a second for each other', async () => {
  const { database, gateway } = stage;
  const other = await inOther(gateway, `select pg_advisory_xact_lock(${lockKeys.partitions})`);
  await expect(ensurePartitions(database, new Date('2031-01-01T00:00:00Z'), 1)).rejects.toThrow(/lock timeout/);
  await other.end();
  await ensurePartitions(database, new Date('2031-01-01T00:00:00Z'), 1);
  expect(await daysOf(database, 'events')).toContain('2031-01-01');
});
