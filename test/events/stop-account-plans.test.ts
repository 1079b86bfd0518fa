import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { stopEventsOf } from '../../src/events/transitions/account-deleted.ts';
import { useDatabase } from '../support/use-database.ts';
import { fillEvents, type StoredFields } from './fill-events.ts';

// A deletion stops events in its own transaction, in which a request waits. The events of others are none of its work.

const database = useDatabase();
const accountId = randomUUID();
const consumerId = randomUUID();
const own = 10;
const others = 10_000;

beforeAll(async () => {
  const dueAt = new Date(Date.now() + 60_000);
  const fields: StoredFields = {
    ...{ receivedAt: new Date(), accountId, provider: 'generic', accountSlug: 'shop', appKey: 'shop' },
    ...{ eventType: 'order.created', externalId: 'order', status: 'enqueued', deliveryStatus: 'pending' },
    ...{ attempts: 1, deliveredAt: null, nextAttemptAt: dueAt },
  };
  const other = randomUUID();
  const text = `
    with account as (
      insert into accounts (id, provider, account_slug, app_key, enabled, created_at, updated_at)
      select id, 'generic', 'shop-' || n, 'shop', true, now(), now() from unnest($1::uuid[]) with ordinality i (id, n)
    )
    insert into consumers (id, account_id, name, enabled, created_at, updated_at) values ($2, $3, 'billing', true, now(), now())`;
  await database.query({ name: '', text }, [[accountId, other], consumerId, accountId]);
  await fillEvents(database, [
    ...Array.from({ length: others }, () => ({ ...fields, accountId: other })),
    ...Array.from({ length: own }, () => ({ ...fields, nextAttemptAt: null })),
    ...Array.from({ length: own }, () => fields),
    ...Array.from({ length: own }, () => ({ ...fields, consumerId, attempts: 0 })),
    ...Array.from({ length: own }, () => ({ ...fields, consumerId, nextAttemptAt: null })),
  ]);
  await database.query({ name: '', text: 'analyze events, event_queue' }, []);
});

test.each([
  ['an account', accountId, 4 * own],
  ['a consumer', consumerId, 2 * own],
])('the deletion of %s stops its events and reads none of others', async (_, id, count) => {
  const client = await database.pool.connect();
  const one = async (text: string) => (await client.query<{ n: number }>(text)).rows[0]?.n ?? Number.NaN;
  // Counts of earlier transactions of the connection may be among them.
  const rowsRead = () =>
    one(`
      select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as n from pg_stat_xact_all_tables
      where relname ~ '^event(s|_queue)'`);
  await client.query('begin');
  const before = await rowsRead();
  await stopEventsOf({ query: async ({ text }, values) => (await client.query(text, [...values])).rows }, id);
  const read = (await rowsRead()) - before;
  const stopped = await one(`select count(*)::integer as n from events where delivery_status = 'failed'`);
  await client.query('rollback');
  client.release();
  expect(stopped).toBe(count);
  expect(read).toBeGreaterThanOrEqual(count);
  expect(read).toBeLessThan(20 * count);
});
