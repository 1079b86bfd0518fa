import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../src/database/database.ts';
import { ensurePartitions } from '../../src/database/partitions.ts';
import type { DeliveryStatus, EventStatus } from '../../src/events/event.ts';

/** An event that is inserted into the tables directly. */
export interface StoredFields {
  receivedAt: Date;
  accountId: string;
  provider: string;
  accountSlug: string;
  appKey: string;
  eventType: string | null;
  externalId: string;
  status: EventStatus;
  deliveryStatus: DeliveryStatus | null;
  attempts: number;
  deliveredAt: Date | null;
  nextAttemptAt: Date | null;
}

const insertEvents = `
  insert into events (id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status, rejection_reason, generation_at,
    received_at, attempts, delivered_at, next_attempt_at, started_generation)
  select id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status,
    case when delivery_status is null then 'signature' end, received_at, received_at, attempts, delivered_at, next_attempt_at, case when queued then -1 else 0 end
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::timestamptz[], $11::integer[],
    $12::timestamptz[], $13::timestamptz[], $14::boolean[])
    as t (id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status, received_at, attempts, delivered_at, next_attempt_at, queued)`;

/** Inserts events into the tables. Those that are received, or pending without a next attempt, are also queued. */
export async function fillEvents(database: Database, events: readonly StoredFields[]): Promise<string[]> {
  for (const day of new Set(events.map((e) => e.receivedAt.toISOString().slice(0, 10))))
    await ensurePartitions(database, new Date(day), 1);
  const ids = events.map((e) => uuidv7({ msecs: e.receivedAt.getTime() }));
  const queued = events.map(
    (e) => e.status === 'received' || (e.deliveryStatus === 'pending' && e.nextAttemptAt === null),
  );
  await database.pool.query(insertEvents, [
    ids,
    events.map((e) => e.accountId),
    events.map((e) => e.provider),
    events.map((e) => e.accountSlug),
    events.map((e) => e.appKey),
    events.map((e) => e.eventType),
    events.map((e) => e.externalId),
    events.map((e) => e.status),
    events.map((e) => e.deliveryStatus),
    events.map((e) => e.receivedAt),
    events.map((e) => e.attempts),
    events.map((e) => e.deliveredAt),
    events.map((e) => e.nextAttemptAt),
    queued,
  ]);
  const queue = events.flatMap((event, n) => (queued[n] ? [{ id: ids[n], accountId: event.accountId }] : []));
  await database.pool.query(
    'insert into event_queue (event_id, account_id, generation, lane) select id, account_id, 0, 0 from unnest($1::uuid[], $2::uuid[]) as t (id, account_id)',
    [queue.map((q) => q.id), queue.map((q) => q.accountId)],
  );
  return ids;
}
