import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ensurePartitions } from '../../../src/database/partitions.ts';
import { filterValues } from '../../../src/events/filter-values.ts';
import { foldStatistics } from '../../../src/events/fold-statistics.ts';
import { listEvents } from '../../../src/events/read.ts';
import { replay } from '../../../src/events/transitions/replayed.ts';
import { dropExpiredDays } from '../../../src/maintenance/retention/drop-expired-days.ts';
import { longestDedupWindowS } from '../../../src/providers/dedup-window.ts';
import { receivedEvent } from '../../support/received.ts';
import { rows } from '../../support/stored.ts';
import {
  began,
  dayMs,
  daysOf,
  expectExact,
  hasDay,
  isoOf,
  log,
  midnight,
  type Stage,
  useRetentionStage,
} from './stage.ts';

const stage = useRetentionStage();

const noon = (daysAgo: number) => new Date(midnight(daysAgo).getTime() + dayMs / 2);
const drop = (olderThanDays: number, now = began) => dropExpiredDays(stage.database, { olderThanDays, log, now });

test('days are dropped with all their rows, and the statistics of the rest stay exact', async () => {
  const { database, gateway, delivered, failed, rejected } = stage;
  const old = await delivered(noon(40), { eventType: 'only.old', provider: 'support_chat' });
  await rejected(noon(40), { eventType: 'junk.old' });
  await failed(noon(40));
  await delivered(noon(39));
  const kept = await delivered(noon(2), { eventType: 'kept', dedupKey: null });
  await foldStatistics(database);
  await delivered(noon(39));

  const { dropped, kept: left } = await drop(30);
  expect(dropped).toEqual(expect.arrayContaining([isoOf(noon(40)), isoOf(noon(39))]));
  expect(left).toEqual([]);
  expect(await hasDay(database, midnight(40))).toBe(false);
  expect(await hasDay(database, midnight(2))).toBe(true);
  await expectExact(database);
  const all = await listEvents(database.reader, { limit: 100, offset: 0 });
  expect(all.map(({ id }) => id)).toEqual([kept]);
  expect(await listEvents(database.reader, { limit: 100, offset: 0, event_type: 'only.old' })).toEqual([]);
  expect(await filterValues(database.reader)).toEqual({
    providers: ['generic'],
    event_types: ['kept'],
    account_slugs: ['slug'],
    statuses: ['enqueued'],
  });
  for (const [method, path] of [
    ['GET', `/admin/events/${old}`],
    ['POST', `/admin/events/${old}/replay`],
    ['POST', `/admin/events/${old}/ack`],
    ['POST', `/admin/delivery/retry/${old}`],
  ] as const)
    expect((await gateway.admin.request(method, path)).status, path).toBe(404);
  expect((await gateway.admin.request('GET', `/admin/events/${kept}`)).status).toBe(200);

  expect(await drop(30)).toEqual({ dropped: [], kept: [] });
});

test('the latencies keep a delivery of the last hours after its day was dropped', async () => {
  const { database, receive, attempt, delivered } = stage;
  const latencies = () =>
    rows(
      database,
      `select hour, bucket, sum(n)::integer as n from (select * from event_latencies union all select * from event_latency_deltas) l
       group by 1, 2 having sum(n) <> 0 order by 1, 2`,
    );
  const id = await delivered(noon(10));
  await replay(database, id);
  await attempt(id, { generation: 1 });
  const slow = await receive(noon(9));
  await attempt(slow, { number: 10 });
  await delivered(new Date());
  await foldStatistics(database);
  const before = await latencies();
  expect(before.reduce((sum, { n }) => sum + n, 0)).toBe(3);
  const { dropped } = await drop(5);
  expect(dropped).toEqual(expect.arrayContaining([isoOf(noon(10)), isoOf(noon(9))]));
  expect(await latencies()).toEqual(before);
});

const work: Record<string, (stage: Stage, id: string) => Promise<unknown>> = {
  'waits for its next attempt': ({ database }, id) =>
    database.pool.query(
      `update events set delivery_status = 'pending', next_attempt_at = now() + interval '1 hour' where id = $1`,
      [id],
    ),
  'is pending without a known reason': ({ database }, id) =>
    database.pool.query(`update events set delivery_status = 'pending', next_attempt_at = null where id = $1`, [id]),
  'is queued': ({ database, account }, id) =>
    database.pool.query(
      'insert into event_queue (event_id, account_id, generation, lane) values ($1, $2, 0, 2) on conflict do nothing',
      [id, account.id],
    ),
  'is to be replayed': ({ database }, id) =>
    database.pool.query('insert into event_replays (event_id) values ($1)', [id]),
  'has a command for its workflow': ({ database }, id) =>
    database.pool.query(`insert into event_commands (event_id, kind, generation) values ($1, 'retry', 0)`, [id]),
  'has a notification to be sent': ({ database }, id) =>
    database.pool.query(
      `insert into notifications (event_id, generation, destination_id, account_id, destination_type, name, config, ordinal, failed_at,
         event_attempts, status, due_at) values ($1, 0, $1, $1, 'webhook', 'x', '', 0, now(), 10, 'pending', now())`,
      [id],
    ),
  'is in a summary to be sent': ({ database }, id) =>
    database.pool.query(
      `insert into notification_summaries (id, destination_id, account_id, destination_type, config, provider, account_slug, app_key, events,
         first_event_ids, first_received_at, last_received_at, first_failed_at, last_failed_at, status, due_at)
       select id, id, id, 'email', '', '', '', '', 1, array[id], received_at, received_at, now(), now(), 'pending', now() from events where id = $1`,
      [id],
    ),
};
test.each(Object.keys(work))('a day stays while an event %s, and other days are dropped', async (what) => {
  const { database, failed, delivered } = stage;
  const id = await failed(noon(20));
  await delivered(noon(20));
  await delivered(noon(19));
  await work[what]?.(stage, id);
  const result = await drop(10);
  expect(result.kept).toEqual([{ day: isoOf(noon(20)), reason: 'pending_events' }]);
  expect(result.dropped).toContain(isoOf(noon(19)));
  expect(await hasDay(database, midnight(20))).toBe(true);
  await expectExact(database);
});

test('a day stays while a webhook can be a duplicate of one of its events', async () => {
  const { database, delivered } = stage;
  const two = { dedupKey: randomUUID(), dedupWindowS: longestDedupWindowS };
  const id = await delivered(noon(2), two);
  await delivered(noon(3), { dedupKey: randomUUID() });
  await rows(database, `update event_dedup set expires_at = now() where event_id <> $1`, [id]);
  const first = await drop(1);
  expect(first.dropped).toContain(isoOf(noon(3)));
  expect(first.kept).toEqual([{ day: isoOf(noon(2)), reason: 'dedup_keys' }]);
  expect(await stage.receiver.receive(receivedEvent(stage.account, two))).toEqual({ kind: 'duplicate' });
  await rows(database, `update event_dedup set expires_at = now()`);
  expect(await drop(1)).toMatchObject({ dropped: [isoOf(noon(2))], kept: [] });
});

test('the age of a day counts from the midnight at its end', async () => {
  const { database, delivered } = stage;
  const first = new Date('2021-03-01T00:00:00Z');
  const last = new Date(first.getTime() + dayMs - 1);
  const next = new Date(first.getTime() + dayMs);
  for (const at of [first, last, next]) await delivered(at);
  const count = async () => (await rows(database, `select id from events where received_at < '2022-01-01'`)).length;
  const end = next.getTime() + dayMs;
  expect((await drop(1, new Date(end))).dropped).toEqual(['2021-02-28']);
  expect(await count()).toBe(3);
  expect((await drop(1, new Date(end + 1))).dropped).toEqual(['2021-03-01']);
  expect(await count()).toBe(1);
  expect((await drop(2, new Date(end + dayMs))).dropped).toEqual([]);
  expect((await drop(2, new Date(end + 2 * dayMs + 1))).dropped).toEqual(['2021-03-02']);
  expect(await count()).toBe(0);
  await expectExact(database);
});

test('today and future days are never dropped, and less than a whole day is refused', async () => {
  // If this file started before midnight, there may be an older day, which may be dropped.
  const yesterday = isoOf(midnight(1));
  const before = (await daysOf(stage.database, 'events')).filter((day) => day >= yesterday);
  expect(before.slice(0, 2)).toEqual([yesterday, isoOf(midnight(0))]);
  await drop(1);
  expect(await daysOf(stage.database, 'events')).toEqual(before);
  for (const days of [0, -1, 0.5, Number.NaN]) await expect(drop(days)).rejects.toThrow(RangeError);
});

test('a day with missing tables is dropped too', async () => {
  const { database, delivered } = stage;
  await delivered(noon(20));
  const suffix = isoOf(noon(20)).replaceAll('-', '');
  await database.pool.query(`drop table notifications_${suffix}, event_payloads_${suffix}`);
  const other = isoOf(noon(19)).replaceAll('-', '');
  await database.pool.query(`drop table events_${other}`);
  const { dropped, kept } = await drop(10);
  expect(dropped).toEqual(expect.arrayContaining([isoOf(noon(20)), isoOf(noon(19))]));
  expect(kept).toEqual([]);
  for (const day of [midnight(20), midnight(19)]) expect(await hasDay(database, day)).toBe(false);
  await expectExact(database);
});

test('late events are stored and counted while two workers drop days and one creates partitions', async () => {
  const { database, receive, delivered } = stage;
  for (let daysAgo = 10; daysAgo < 20; daysAgo++) await delivered(noon(daysAgo));
  const late: string[] = [];
  let stopped = false;
  const writing = Array.from({ length: 3 }, async (_, n) => {
    while (!stopped) late.push(await receive(noon(10 + ((late.length * 3 + n) % 10))));
  });
  const making = (async () => {
    while (!stopped) await ensurePartitions(database, noon(12), 3);
  })();
  const folding = (async () => {
    while (!stopped) await foldStatistics(database);
  })();
  const results = await Promise.all([drop(5), drop(5), drop(5)]);
  stopped = true;
  await Promise.all([...writing, making, folding]);
  expect(results.flatMap(({ dropped }) => dropped).length).toBeGreaterThan(0);
  const stored = await rows(database, 'select id from events where id = any($1)', [late]);
  expect(stored.length).toBe(late.length);
  await expectExact(database);
});
