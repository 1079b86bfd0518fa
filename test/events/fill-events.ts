import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../src/database/database.ts';
import { ensurePartitions } from '../../src/database/partitions.ts';
import type { DeliveryStatus, EventStatus } from '../../src/events/event.ts';
import { groupsOf } from '../support/groups-of.ts';

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
  /** Null or absent: the consumer `default`. */
  consumerId?: string | null;
  /** The first event of its webhook, if this is another one. */
  requestId?: string | null;
  /** Why no consumer gets the webhook. */
  skippedReason?: string | null;
  /** Whether a person has set the status `failed`. */
  failedByPerson?: boolean | null;
  /** The bulk job that has changed it. */
  bulkJobId?: string;
  id?: string;
}

const insertEvents = `
  insert into events (id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status, rejection_reason, generation_at,
    received_at, attempts, delivered_at, next_attempt_at, started_generation, consumer_id, request_id, skipped_reason, bulk_job_id, failed_by_person)
  select id, "accountId", provider, "accountSlug", "appKey", "eventType", "externalId", status, "deliveryStatus",
    case when "deliveryStatus" is null and "skippedReason" is null then 'signature' end, "receivedAt", "receivedAt", attempts, "deliveredAt", "nextAttemptAt", case when queued then -1 else 0 end, "consumerId", "requestId", "skippedReason", "bulkJobId", "failedByPerson"
  from json_to_recordset($1) as t (id uuid, "accountId" uuid, provider text, "accountSlug" text, "appKey" text, "eventType" text, "externalId" text,
    status text, "deliveryStatus" text, "receivedAt" timestamptz, attempts integer, "deliveredAt" timestamptz, "nextAttemptAt" timestamptz, queued boolean, "consumerId" uuid, "requestId" uuid, "skippedReason" text, "bulkJobId" uuid, "failedByPerson" boolean)`;
const insertQueued = `
  insert into event_queue (event_id, account_id, generation, lane)
  select id, coalesce("consumerId", "accountId"), 0, 0 from json_to_recordset($1) as t (id uuid, "accountId" uuid, "consumerId" uuid, queued boolean)
  where queued`;

/** Inserts events into the tables. Those that are received, or pending without a next attempt, are also queued. */
export async function fillEvents(database: Database, events: readonly StoredFields[]): Promise<string[]> {
  for (const day of new Set(events.map((e) => e.receivedAt.toISOString().slice(0, 10))))
    await ensurePartitions(database, new Date(day), 1);
  const all = events.map((event) => ({
    id: uuidv7({ msecs: event.receivedAt.getTime() }),
    ...event,
    queued: event.status === 'received' || (event.deliveryStatus === 'pending' && event.nextAttemptAt === null),
  }));
  // Far below the time limit of a statement, also on a slow machine.
  for (const group of groupsOf(all, 1_000))
    for (const text of [insertEvents, insertQueued]) await database.pool.query(text, [JSON.stringify(group)]);
  return all.map(({ id }) => id);
}
