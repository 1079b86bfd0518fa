import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/database/database.ts';

/** Inserts a consumer without an address of its own, and returns its id. */
export async function insertConsumer(
  database: Database,
  { accountId, name, deleted = false }: { accountId: string; name: string; deleted?: boolean },
): Promise<string> {
  const id = randomUUID();
  await database.pool.query(
    `insert into consumers (id, account_id, name, url, created_at, updated_at, deleted_at)
     values ($1, $2, $3, 'https://consumer.test', now(), now(), case when $4 then now() end)`,
    [id, accountId, name, deleted],
  );
  return id;
}

/** The lowest and the highest UUIDv7 of the millisecond of an id. */
export const lowestOfMs = (id: string) => `${id.slice(0, 13)}-7000-8000-000000000000`;
export const highestOfMs = (id: string) => `${id.slice(0, 13)}-7fff-bfff-ffffffffffff`;

/**
 * Copies the first event of a webhook as the event of another consumer. It has no row in the queue.
 *
 * @param sibling.id has the millisecond of the first event
 */
export async function insertSibling(
  database: Database,
  firstId: string,
  sibling: { id: string; consumerId: string; backfilledAt?: Date },
): Promise<string> {
  const { id, consumerId, backfilledAt = null } = sibling;
  await database.pool.query(
    `insert into events (id, request_id, consumer_id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status,
       generation_at, received_at, backfilled_at)
     select $2, id, $3, account_id, provider, account_slug, app_key, event_type, external_id, 'enqueued', 'pending', coalesce($4, received_at), received_at, $4
     from events where id = $1`,
    [firstId, id, consumerId, backfilledAt],
  );
  return id;
}
