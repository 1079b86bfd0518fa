import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { ensurePartitions, partitionName } from '../../../src/database/partitions.ts';
import { until } from '../../support/until.ts';
import { useClient, useGateway } from '../../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const client = useClient(gateway);

const dayMs = 86_400_000;
const mostCounted = 100_000;
/** The noon of a day in the past. */
const daysAgo = (days: number) => new Date((Math.floor(Date.now() / dayMs) - days + 0.5) * dayMs);
const [newest, middle, oldest] = [daysAgo(2), daysAgo(3), daysAgo(5)];

/** Stores events of one moment, in one partition. */
async function store(slug: string, appKey: string, at: Date, count: number) {
  await ensurePartitions(gateway.database, at, 0);
  await client.query(
    `insert into events (id, account_id, provider, account_slug, app_key, external_id, status, delivery_status, generation_at, received_at, attempts, delivered_at)
     select (left($1::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $2, 'generic', $3, $4, n::text, 'enqueued', 'delivered', $5, $5, 1, $5
     from generate_series(1, $6::integer) n`,
    [uuidv7({ msecs: at.getTime() }), randomUUID(), slug, appKey, at, count],
  );
}

const counted = async (query: string) => {
  const { status, body } = await gateway.admin.request('GET', `/admin/events/count?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  const bars = body.bars as { at: string; events: number }[];
  const eventsFrom = (ms: number) =>
    bars.filter(({ at }) => Date.parse(at) >= ms).reduce((sum, { events }) => sum + events, 0);
  return { count: body.count, exact: body.exact, fromMs: Date.parse(body.from), eventsFrom };
};

/** A count of so many events. One whose time of 3 s was over before is made again, as a slow machine may need more. */
const countedInTime = (query: string) =>
  until('so many are counted in time', async () => {
    const some = await counted(query);
    return some.count === mostCounted && some;
  });

beforeAll(async () => {
  await store('large', 'one', oldest, 1);
  await store('large', 'most', middle, mostCounted);
  await store('large', 'few', newest, 20);
  await store('slow', 'slow', middle, 3);
  await store('slow', 'slow', newest, 2);
  await client.query('analyze events');
});

test('100,000 events are counted, and that these are all', async () => {
  const all = await countedInTime('app_key=most');
  expect(all.exact).toBe(true);
  expect(all.eventsFrom(0)).toBe(mostCounted);
});

test('of more, the newest are counted, and older days are not read', async () => {
  const some = await countedInTime('account_slug=large');
  expect(some.exact).toBe(false);
  expect(some.eventsFrom(newest.getTime() - dayMs / 2)).toBe(20);
  // One more is read, to know that there are more.
  expect(some.eventsFrom(0)).toBeGreaterThanOrEqual(mostCounted);
  expect(some.eventsFrom(0)).toBeLessThanOrEqual(mostCounted + 1);
  expect(some.fromMs).toBeGreaterThan(oldest.getTime());
});

test('a day that cannot be read in time ends the count, with the newer days', async () => {
  await client.query('begin');
  try {
    await client.query(`lock table ${partitionName('events', middle)} in access exclusive mode`);
    // Without the limit of time, the statement would wait for the lock until it fails.
    const some = await counted('account_slug=slow');
    expect(some).toMatchObject({ count: 2, exact: false });
    expect(some.eventsFrom(0)).toBe(2);
    const filter = { account_slug: 'slow' };
    const { status, body } = await gateway.admin.post('/admin/events/bulk', {
      action: 'replay',
      filter,
      dry_run: true,
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { matched: 2, exact: false } });
    const waiting = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(waiting.rowCount).toBe(0);
  } finally {
    await client.query('rollback');
  }
  expect(await counted('account_slug=slow')).toMatchObject({ count: 5, exact: true });
});
