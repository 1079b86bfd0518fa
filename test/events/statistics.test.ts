import { beforeEach, expect, test } from 'vitest';
import { deliveryStatistics } from '../../src/events/delivery-statistics.ts';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { filterValues } from '../../src/events/filter-values.ts';
import { foldStatistics } from '../../src/events/fold-statistics.ts';
import { latencyPercentiles } from '../../src/events/latency.ts';
import { ack } from '../../src/events/transitions/acknowledged.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { declareDead } from '../../src/events/transitions/declared-dead.ts';
import { exhaustDisabledEvents } from '../../src/events/transitions/exhausted.ts';
import { fail } from '../../src/events/transitions/failed.ts';
import { waitInQueue } from '../../src/events/transitions/queued-to-wait.ts';
import { replay, replayFailed } from '../../src/events/transitions/replayed.ts';
import { outcomeOf, receivedEvent, rejectedEvent, rejectionRecorder } from '../support/received.ts';
import { rows } from '../support/stored.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';
import { recounted } from './reference.ts';

const hourMs = 3_600_000;
let receiver: EventReceiver;
let recorder: OutcomeRecorder;
const gateway = useGatewayPerTest({ worker: false });
beforeEach(async () => {
  receiver = new EventReceiver(gateway.database);
  recorder = new OutcomeRecorder(gateway.database, async () => undefined);
});

const attempt = (eventId: string, number: number, succeeded: boolean, generation = 0) =>
  recorder.record(
    outcomeOf(eventId, {
      ...{ generation, number, succeeded, last: number === 10 },
      nextAttemptAt: succeeded ? null : new Date(),
    }),
  );

/** The statistics and the same numbers from the tables, both read within the same hour. */
async function expectExact(): Promise<Awaited<ReturnType<typeof compared>>> {
  const hour = Math.floor(Date.now() / hourMs);
  try {
    return await compared();
  } catch (error) {
    if (Math.floor(Date.now() / hourMs) === hour) throw error;
    return expectExact();
  }
}

async function compared() {
  const { counts, byProvider, latencies } = await recounted(gateway.database);
  const { by_hour, by_provider, latency_ms, success_rate, ...numbers } = await deliveryStatistics(
    gateway.database.reader,
  );
  expect(numbers).toEqual(counts);
  expect(by_provider).toEqual(byProvider);
  expect(latency_ms).toEqual(latencyPercentiles(latencies.map(({ bucket, n }) => ({ bucket, n }))));
  const ended = numbers.delivered + numbers.failed;
  expect(success_rate).toBe(ended === 0 ? null : numbers.delivered / ended);
  const now = Math.floor(Date.now() / hourMs) * hourMs;
  expect(by_hour.map(({ hour }) => Date.parse(hour))).toEqual(
    Array.from({ length: 24 }, (_, n) => now - (23 - n) * hourMs),
  );
  for (const { hour, ...counted } of by_hour) {
    const [expected] = await gateway.rows(
      `select count(*)::integer as received, count(*) filter (where delivery_status = 'delivered')::integer as delivered,
         count(*) filter (where delivery_status = 'failed')::integer as failed
       from events where rejection_reason is null and received_at >= $1 and received_at < $1::timestamptz + interval '1 hour'`,
      [hour],
    );
    expect({ hour, ...counted }).toEqual({ hour, ...expected });
  }
  return numbers;
}

test('concurrent changes of events are all counted, also while deltas are folded', async () => {
  const { database } = gateway;
  const accounts = await Promise.all([0, 1, 2].map(() => gateway.admin.createAccount({})));
  const ids: string[] = [];
  const receive = async (n: number) => {
    const account = accounts[n % 3];
    // Several hours ago, and on both sides of midnight.
    const receivedAt = new Date(Date.now() - (n % 30) * hourMs);
    const event = receivedEvent(account, {
      receivedAt,
      provider: n % 4 === 0 ? 'support_chat' : 'generic',
      eventType: `type-${n % 7}`,
    });
    await receiver.receive(event);
    ids.push(event.id);
  };
  await Promise.all(Array.from({ length: 240 }, (_, n) => receive(n)));
  await expectExact();

  await rows(database, `update accounts set enabled = false, updated_at = now() - interval '8 days'`);
  const rejections = rejectionRecorder(database);
  let stopped = false;
  const folding = [0, 1, 2].map(async () => {
    while (!stopped) await foldStatistics(database);
  });
  const lives = ids.map(async (id, n) => {
    switch (n % 12) {
      case 0:
        return attempt(id, 1, true);
      case 1:
        for (let number = 1; number <= 10; number++) await attempt(id, number, false);
        return replay(database, id);
      case 2:
        await attempt(id, 1, false);
        return attempt(id, 2, true);
      case 3:
        return Promise.all([ack(database, id), attempt(id, 1, false), fail(database, id, null)]);
      case 4:
        return declareDead(database, id, 'dead');
      case 5:
        await waitInQueue(database, { eventId: id, generation: 0, waitsFor: 'account_disabled', lastAttempt: 10 });
        await rows(database, `update event_queue set lane_since = now() - interval '8 days' where event_id = $1`, [id]);
        return exhaustDisabledEvents(database, 100, async () => undefined);
      case 6:
        await attempt(id, 1, true);
        await replay(database, id);
        return attempt(id, 1, true, 1);
      case 7:
        await attempt(id, 1, false);
        // An attempt of an earlier generation, which is recorded.
        await replay(database, id);
        return attempt(id, 2, false);
      case 8:
        for (let number = 1; number <= 10; number++) await attempt(id, number, false);
        return null;
      case 9: {
        await attempt(id, 1, false);
        const event = rejectedEvent(accounts[0]);
        return rejections.record(event.accountId, () => event);
      }
      case 10:
        return replayFailed(database);
      default:
        return receive(n);
    }
  });
  await Promise.all(lives);
  await expectExact();
  await gateway.admin.request('DELETE', `/admin/accounts/${accounts[2].id}`);
  const rejected = await rows(database, `select id from events where status = 'rejected' limit 2`);
  await Promise.all(rejected.map(({ id }) => ack(database, id)));
  stopped = true;
  await Promise.all(folding);
  const before = await expectExact();
  expect(before.retrying).toBeGreaterThan(0);
  expect(before.failed).toBeGreaterThan(0);

  while (await foldStatistics(database));
  for (const table of ['event_stat_deltas', 'event_latency_deltas'])
    expect(await rows(database, `select * from ${table}`)).toEqual([]);
  expect(await expectExact()).toEqual(before);
  const states = await rows(database, 'select distinct status from events order by 1');
  expect((await filterValues(database.reader)).statuses).toEqual(states.map(({ status }) => status));

  // A recount of all events has the same result.
  await database.pool.query('select recount_events()');
  expect(await expectExact()).toEqual(before);
});

test('PostgreSQL inlines the functions that the statistics share, so that they cost nothing per event', async () => {
  const statements = [
    `select start_of_hour(received_at), sum(c.stored), sum(c.rejected_state)
     from events cross join lateral event_counters(1, delivery_status, state, retries, rejection_reason, request_id is not null,
       skipped_reason is not null) c group by 1`,
    `select v.kind, v.value
     from events cross join lateral event_filter_values(account_slug, app_key, event_type, rejection_reason, provider) v`,
    'select latency_bucket(delivered_at - generation_at) from events',
  ];
  for (const statement of statements) {
    const plan = await gateway.rows(`explain (verbose) ${statement}`);
    expect(JSON.stringify(plan)).not.toMatch(/start_of_hour|event_counters|event_filter_values|latency_bucket/);
  }
});

test('an update that does not change the statistics inserts no delta', async () => {
  const account = await gateway.admin.createAccount({});
  const event = receivedEvent(account);
  await receiver.receive(event);
  await foldStatistics(gateway.database);
  await gateway.database.pool.query(`update events set swept_at = now(), status = 'enqueued' where id = $1`, [
    event.id,
  ]);
  expect(await gateway.rows('select * from event_stat_deltas')).toEqual([]);
});

test('a delivery that succeeds at once updates no index after the insert', async () => {
  const account = await gateway.admin.createAccount({});
  const event = receivedEvent(account);
  await receiver.receive(event);
  await attempt(event.id, 1, true);
  await gateway.database.pool.query(
    `update events set status = 'enqueued', started_generation = 0, run_id = 'run' where id = $1`,
    [event.id],
  );
  await expect
    .poll(async () => {
      const [stat] = await gateway.rows(
        `select sum(n_tup_upd)::integer as updates, sum(n_tup_hot_upd)::integer as hot from pg_stat_user_tables where relname like 'events\\_%'`,
      );
      return stat;
    })
    .toEqual({ updates: 2, hot: 2 });
});

test('percentiles of a histogram', () => {
  expect(latencyPercentiles([])).toEqual({ p50: null, p95: null, p99: null });
  // Bucket 60 ends at 100 ms, bucket 80 at a second.
  expect(
    latencyPercentiles([
      { bucket: 60, n: 98 },
      { bucket: 80, n: 2 },
    ]),
  ).toEqual({
    p50: expect.closeTo(94.7, 0),
    p95: expect.closeTo(99.7, 0),
    p99: expect.closeTo(945.6, 0),
  });
});
