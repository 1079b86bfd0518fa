import { describe, expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { dayMs } from '../../src/database/uuid-time.ts';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { foldStatistics } from '../../src/events/fold-statistics.ts';
import { spanOf } from '../../src/events/series-query.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { declareDead } from '../../src/events/transitions/declared-dead.ts';
import { replay } from '../../src/events/transitions/replayed.ts';
import { highestOfMs, insertConsumer, insertSibling, lowestOfMs } from '../support/consumers.ts';
import { outcomeOf, receivedEvent, rejectedEvent, rejectionRecorder } from '../support/received.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const gateway = useGatewayPerTest({ worker: false });

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
type Json = any;

async function series(query: string): Promise<Json> {
  const answer = await gateway.admin.request('GET', `/admin/delivery/series?${query}`);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

const zero = {
  ...{ received: 0, rejected: 0, delivered: 0, failed: 0, pending_change: 0 },
  ...{ attempts: 0, failed_attempts: 0 },
};

/** The sums over all points of a series. */
const sumsOf = ({ points }: Json) => {
  const sum = (name: string) => points.reduce((total: number, point: Json) => total + point[name], 0);
  return Object.fromEntries(Object.keys(zero).map((name) => [name, sum(name)]));
};

const attempt = (eventId: string, succeeded: boolean, generation = 0) =>
  new OutcomeRecorder(gateway.database, async () => undefined).record(outcomeOf(eventId, { succeeded, generation }));

/** Five events: two delivered (one twice), one failed, one pending after a failed attempt, one rejected. */
async function happen(): Promise<void> {
  const receiver = new EventReceiver(gateway.database);
  const account = { id: '01900000-0000-7000-8000-000000000001' };
  // Received yesterday, so that the time of receipt and of what happens differ.
  const receivedAt = new Date(Date.now() - dayMs);
  const events = [0, 1, 2, 3].map((n) =>
    receivedEvent(account, { receivedAt, provider: n === 0 ? 'stripe' : 'generic' }),
  );
  const created = await gateway.admin.createAccount({});
  for (const event of events) await receiver.receive({ ...event, accountId: created.id });
  const [first = '', second = '', third = '', fourth = ''] = events.map(({ id }) => id);
  await attempt(first, true);
  await attempt(second, true);
  await replay(gateway.database, second);
  await attempt(second, true, 1);
  await declareDead(gateway.database, third, null);
  await attempt(fourth, false);
  await rejectionRecorder(gateway.database).record(created.id, () => rejectedEvent(created));
}

const expected = {
  received: 4,
  rejected: 1,
  delivered: 3,
  failed: 1,
  pending_change: 1,
  attempts: 4,
  failed_attempts: 1,
};

describe('what happened', () => {
  test('is the same by the minute, hour and day, before and after it is folded', async () => {
    await happen();
    const from = new Date(Date.now() - hourMs).toISOString();
    const seen = async () => {
      const found = await Promise.all(['1m', '5m', '1h', '1d'].map((step) => series(`from=${from}&step=${step}`)));
      for (const one of found) expect(sumsOf(one)).toEqual(expected);
      for (const one of found) expect(one.points.at(-1).at < one.to).toBe(true);
      // Two events of yesterday were delivered a day after their receipt, one at once after its replay.
      const [latency] = found[3].points.map((point: Json) => point.latency_ms).filter(({ p50 }: Json) => p50 !== null);
      expect(latency.p99).toBeGreaterThan(dayMs * 0.8);
      return found;
    };
    const before = await seen();
    expect(await foldStatistics(gateway.database)).toBe(false);
    expect(await gateway.rows('select 1 as one from event_stat_deltas')).toEqual([]);
    const after = await seen();
    // A new hour may have begun.
    expect(after[2].points.slice(0, before[2].points.length)).toEqual(before[2].points);
    await foldStatistics(gateway.database);
    await seen();
  });

  test('a failed event and the replay of another in the same minute both count', async () => {
    await happen();
    const [dead] = await gateway.rows("select id from events where delivery_status = 'failed'");
    await replay(gateway.database, String(dead?.id));
    const [pending] = await gateway.rows('select id from events where attempts = 1 and delivered_at is null');
    await declareDead(gateway.database, String(pending?.id), null);
    for (const fold of [false, true]) {
      if (fold) await foldStatistics(gateway.database);
      expect(sumsOf(await series('step=1h'))).toEqual({ ...expected, failed: 2, pending_change: 1 });
    }
  });

  test('nothing happened at the time of receipt', async () => {
    await happen();
    const until = new Date(Date.now() - hourMs).toISOString();
    expect(sumsOf(await series(`to=${until}&step=5m`))).toEqual({ ...expected, ...zero });
  });

  test('of one provider, without attempts and latencies', async () => {
    await happen();
    for (const fold of [false, true]) {
      if (fold) await foldStatistics(gateway.database);
      const found = await series('provider=stripe&step=1h');
      expect(sumsOf(found)).toEqual({
        ...expected,
        received: 1,
        rejected: 0,
        delivered: 1,
        failed: 0,
        pending_change: 0,
        attempts: 0,
        failed_attempts: 0,
      });
      expect(found.points[0]).toMatchObject({ attempts: null, failed_attempts: null, latency_ms: null });
      expect(found.provider).toBe('stripe');
    }
  });

  test('stays when retention deletes the rejected webhook', async () => {
    await happen();
    await gateway.rows(
      `insert into event_stat_deltas (hour, provider, stored, rejected, rejected_state) values (start_of_hour(now()), 'generic', -1, -1, -1)`,
    );
    await foldStatistics(gateway.database);
    expect(sumsOf(await series('step=1h'))).toEqual(expected);
  });

  test('a webhook of several consumers was received once, also when a backfill adds one, and one of none too', async () => {
    const account = await gateway.admin.createAccount({});
    const consumer = (name: string) => insertConsumer(gateway.database, { accountId: account.id, name });
    const [one, two] = [await consumer('one'), await consumer('two')];
    const receiver = new EventReceiver(gateway.database);
    const webhook = receivedEvent(account);
    const siblings = [{ id: highestOfMs(webhook.id), consumerId: one }];
    expect(await receiver.receive({ ...webhook, siblings })).toEqual({ kind: 'stored' });
    const skipped = receivedEvent(account, { skippedReason: 'no_consumer_matched' });
    expect(await receiver.receive(skipped)).toEqual({ kind: 'stored' });
    await insertSibling(gateway.database, webhook.id, { id: lowestOfMs(webhook.id), consumerId: two });
    await insertSibling(gateway.database, skipped.id, { id: lowestOfMs(skipped.id), consumerId: two });
    for (const fold of [false, true]) {
      if (fold) await foldStatistics(gateway.database);
      expect(sumsOf(await series('step=1h'))).toEqual({ ...expected, ...zero, received: 2, pending_change: 4 });
      const { body } = await gateway.admin.request('GET', '/admin/delivery/stats');
      expect(body).toMatchObject({ total: 4, pending: 4, by_provider: [{ total: 4 }] });
      expect(body.by_hour.reduce((sum: number, hour: Json) => sum + hour.received, 0)).toBe(2);
    }
  });

  test('is forgotten after 49 hours by the minute, and after 32 days by the hour', async () => {
    for (const age of ['48 hours', '50 hours', '31 days', '33 days'])
      await gateway.rows(
        `insert into event_series (minutes, at, provider, received) select m, now() - $1::interval, 'generic', 1 from (values (1), (60)) v (m)`,
        [age],
      );
    await gateway.rows(`insert into event_series_latencies select minutes, at, 1, 1 from event_series`);
    await foldStatistics(gateway.database);
    for (const table of ['event_series', 'event_series_latencies'])
      expect(await gateway.rows(`select minutes, count(*)::integer as n from ${table} group by 1 order by 1`)).toEqual([
        { minutes: 1, n: 1 },
        { minutes: 60, n: 3 },
      ]);
  });
});

test('deltas without a minute, from before deltas had one, count in the totals only', async () => {
  await happen();
  await gateway.rows('update event_stat_deltas set minute = null');
  await foldStatistics(gateway.database);
  expect(sumsOf(await series('step=1h'))).toEqual(zero);
  const stats = await gateway.admin.request('GET', '/admin/delivery/stats');
  expect(stats.body).toMatchObject({ total: 4, delivered: 2 });
});

test('the statistics have the success rate of the attempts of the last 15 minutes, also of events that are retried', async () => {
  const recent = async () => (await gateway.admin.request('GET', '/admin/delivery/stats')).body.recent_attempts;
  expect(await recent()).toEqual({ minutes: 15, attempts: 0, failed_attempts: 0, success_rate: null });
  await happen();
  for (const fold of [false, true]) {
    if (fold) await foldStatistics(gateway.database);
    expect(await recent()).toEqual({ minutes: 15, attempts: 4, failed_attempts: 1, success_rate: 0.75 });
  }
  await gateway.rows(`update event_series set at = at - interval '13 minutes' where minutes = 1`);
  expect((await recent()).attempts).toBe(4);
  await gateway.rows(`update event_series set at = at - interval '3 minutes' where minutes = 1`);
  expect((await recent()).attempts).toBe(0);
});

describe('the query', () => {
  test.each([
    ['', '5m', 289],
    ['step=1m', '1m', 1_441],
    ['from=PT47H', '15m', 189],
    ['from=PT240H', '1h', 241],
    ['from=PT720H', '6h', 121],
    ['from=PT720H&step=1h', '1h', 721],
    ['from=PT720H&step=1d', '1d', 31],
    ['from=PT1H&step=90m', '90m', 2],
    ['from=PT2H&step=60m', '1h', 3],
  ])('%s has points of %s', async (query, step, most) => {
    const text = query.replace(/PT(\d+)H/, (_, hours: string) =>
      new Date(Date.now() - Number(hours) * hourMs).toISOString(),
    );
    const found = await series(text);
    expect(found.step).toBe(step);
    expect([most, most - 1]).toContain(found.points.length);
    expect(found.points[0].at).toBe(found.from);
  });

  test.each([
    ['from=2026-11-20T10:00:00Z&to=2026-11-20T10:00:00Z', 'from', 'before'],
    ['from=2020-01-01', 'from', '31 days'],
    ['to=2100-01-01', 'to', 'future'],
    ['from=THREE_DAYS&step=5m', 'step', 'whole hours'],
    ['from=TWO_DAYS&step=1m', 'step', '1500'],
    ['step=9999d', 'step', 'too long'],
    ['step=9999m', 'step', 'too long'],
    ['step=0m', 'step', 'must be a step such as'],
    ['step=1s', 'step', 'must be a step such as'],
    ['step=PT5M', 'step', 'must be a step such as'],
    ['step=99999d', 'step', 'must be a step such as'],
    ['from=yesterday', 'from', 'ISO 8601'],
    ['from=2026-11-20&from=2026-11-21', 'from', ''],
    ['nonsense=1', 'nonsense', 'not a known'],
  ])('%s is refused with a reason', async (query, path, reason) => {
    const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString();
    const text = query.replace('THREE_DAYS', ago(72)).replace('TWO_DAYS', ago(47));
    const answer = await gateway.admin.request('GET', `/admin/delivery/series?${text}`);
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid', errors: [{ path }] } });
    expect(answer.body.errors[0].message).toContain(reason);
  });

  test('steps are counted from midnight UTC', () => {
    const now = Date.parse('2026-11-20T10:07:30Z');
    const span = spanOf({ from: new Date(now - 3 * dayMs), step: '1d' }, now);
    expect([span.from, span.to]).toEqual([new Date('2026-11-17T00:00:00Z'), new Date('2026-11-21T00:00:00Z')]);
    expect(spanOf({ step: '5m', from: new Date(now - hourMs) }, now)).toMatchObject({
      from: new Date('2026-11-20T09:05:00Z'),
      to: new Date('2026-11-20T10:10:00Z'),
      unit: 'minutes',
    });
  });

  test('a point may count more than an integer of PostgreSQL holds', async () => {
    await gateway.rows(`with hours as (select date_trunc('day', now(), 'UTC') - n * interval '1 hour' as at from generate_series(1, 2) n),
       latencies as (insert into event_series_latencies (minutes, at, bucket, n) select 60, at, 40, 2000000000 from hours)
       insert into event_series (minutes, at, provider, attempts) select 60, at, '', 2000000000 from hours`);
    expect(sumsOf(await series('step=1d')).attempts).toBe(4_000_000_000);
  });

  test('the typed client has the points', async () => {
    const admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
    const { data } = await admin.delivery.series.get({ query: { step: '1h', from: new Date(Date.now() - hourMs) } });
    expect(data?.points[0]?.latency_ms).toEqual({ p50: null, p95: null, p99: null });
  });
});
