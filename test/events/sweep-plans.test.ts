import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/database/sql.ts';
import { lanes } from '../../src/events/lanes.ts';
import { exhaustDisabledEvents } from '../../src/events/transitions/exhausted.ts';
import { letDueWait } from '../../src/events/transitions/queued-to-wait.ts';
import { type SweepPosition, sweep } from '../../src/events/transitions/swept.ts';
import { mostRead } from '../support/most-read.ts';
import { useDatabase } from '../support/use-database.ts';
import { fillEvents, type StoredFields } from './fill-events.ts';

// While Temporal is away, events whose first attempt has failed wait in the queue. Every 30 s, workers look there for those
// of disabled accounts, and among all events for those that are overdue.

const database = useDatabase();
const [waiting, disabled] = [10_000, 20];

beforeAll(async () => {
  const now = Date.now();
  const accounts = [randomUUID(), randomUUID()] as const;
  await database.query(
    {
      name: '',
      text: `insert into accounts (id, provider, account_slug, app_key, enabled, created_at, updated_at)
        select id, 'generic', 'shop-' || n, 'shop', n = 1, now(), now() - interval '8 days' from unnest($1::uuid[]) with ordinality i (id, n)`,
    },
    [accounts],
  );
  const fields: StoredFields = {
    ...{ receivedAt: new Date(now), accountId: '', provider: 'generic', accountSlug: 'shop', appKey: 'shop' },
    ...{ eventType: 'order.created', externalId: 'order', status: 'failed', deliveryStatus: 'pending' },
    ...{ attempts: 1, deliveredAt: null, nextAttemptAt: new Date(now - 600_000) },
  };
  const [enabledId, disabledId] = accounts;
  const ids = await fillEvents(database, [
    ...Array.from({ length: waiting }, () => ({ ...fields, accountId: enabledId })),
    ...Array.from({ length: disabled }, () => ({ ...fields, accountId: disabledId })),
  ]);
  await database.query(
    {
      name: '',
      text: `insert into event_queue (event_id, account_id, generation, lane, lane_since)
        select id, account_id, generation, ${lanes.pendingStart}, now() - interval '8 days' from events where id = any($1)`,
    },
    [ids],
  );
  await database.query({ name: '', text: 'analyze events, event_queue' }, []);
});

test.each([
  ['the sweep', (sql: Sql) => sweep(sql, { overdueS: 120, limit: disabled, after: null })],
  ['the look for due events of disabled accounts', (sql: Sql) => letDueWait(sql, { lastAttempt: 10, limit: 500 })],
  [
    'the end of events of disabled accounts',
    (sql: Sql) => exhaustDisabledEvents({ ...sql, transaction: (work) => work(sql) }, 500, () => Promise.resolve()),
  ],
])('%s reads little more than it finds', async (_, call) => {
  // A step may look for each event in the partitions of several days.
  const read = await mostRead(database, call);
  expect(read).toBeGreaterThanOrEqual(disabled);
  expect(read).toBeLessThan(10 * disabled);
});

const limit = 500;

/** Calls the sweep until the end of its pass. `last`: where its last call began. */
async function wholePass() {
  let [queued, calls] = [0, 0];
  for (let last: SweepPosition | null = null; ; ) {
    const swept: Awaited<ReturnType<typeof sweep>> = await sweep(database, { overdueS: 120, limit, after: last });
    queued += swept.queued;
    calls += 1;
    if (swept.next === null) return { queued, calls, last };
    last = swept.next;
  }
}

test('a pass of the sweep goes through the overdue events once, and changes none that is queued', async () => {
  const times = `update events set next_attempt_at = next_attempt_at + make_interval(secs => 60 * random())`;
  await database.query({ name: '', text: times }, []);
  const { queued, calls, last } = await wholePass();
  expect([queued, calls]).toEqual([0, Math.ceil((waiting + disabled) / limit)]);
  expect(await database.query({ name: '', text: 'select id from events where swept_at is not null' }, [])).toEqual([]);
  const read = await mostRead(database, (sql) => sweep(sql, { overdueS: 120, limit, after: last }));
  expect(read).toBeLessThanOrEqual(limit);
});

test('a pass of the sweep goes on where more events were due at the same time than it looks at', async () => {
  await database.query({ name: '', text: `update events set next_attempt_at = now() - interval '1 hour'` }, []);
  await database.query({ name: '', text: 'delete from event_queue' }, []);
  expect(await wholePass()).toMatchObject({ queued: waiting + disabled });
});
