import type { Sql } from '../database/sql.ts';
import { idRange } from './id-range.ts';
import { isPaused } from './pause.ts';

/** The states of an event (docs/concepts.md). */
export const eventStatuses = ['received', 'enqueued', 'processed', 'failed', 'dead', 'rejected'] as const;
export type EventStatus = (typeof eventStatuses)[number];

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why an event that is due is not attempted. */
export const waitReasons = ['paused', 'account_disabled', 'consumer_disabled'] as const;
export type WaitsFor = (typeof waitReasons)[number];

export type Trigger = 'schedule' | 'manual';

/** Identifies one attempt. An attempt of this name is recorded at most once. */
export interface AttemptName {
  eventId: string;
  generation: number;
  trigger: Trigger;
  /** Counts from 1, separately for each trigger and generation. */
  number: number;
}

/** The attempts of a generation, unless the consumer has a schedule of its own. */
export const scheduledAttempts = 10;

/** `started_generation` of an event for which no workflow was started yet; generations count from 0. */
export const neverStarted = -1;

/** An event as the lists show it; the other columns of the table are internal. */
export interface EventRow {
  id: string;
  account_id: string;
  provider: string;
  account_slug: string;
  app_key: string;
  event_type: string | null;
  external_id: string;
  status: EventStatus;
  delivery_status: DeliveryStatus | null;
  attempts: number;
  last_error: string | null;
  response_code: number | null;
  generation: number;
  received_at: Date;
  delivered_at: Date | null;
  next_attempt_at: Date | null;
  rejection_reason: string | null;
  /** The reason as a sentence with the numbers of this webhook; null: the reason says everything. */
  rejection_detail: string | null;
  /** The name of the consumer. */
  consumer: string;
  /** The webhook: the id of its first event. */
  request_id: string;
  /** Why no consumer gets the webhook; null: one does. */
  skipped_reason: string | null;
  /** When a backfill made the event; null: it was made with the webhook. */
  backfilled_at: Date | null;
  /** Scheduled attempts of the current generation that were made. */
  scheduled_attempts: number;
  /** How many attempts the schedule of the consumer has now; null: the delivery has ended. */
  schedule_of: number | null;
  /** Why the attempt of an event that is due is not made; null: it is being made, or is not due. */
  waits_for: WaitsFor | null;
  /** True if a person has set `failed`; null if the last failed attempt has, or the status is another one. */
  failed_by_person: boolean | null;
  /** The last bulk job that has changed or made the event; null: none has. */
  bulk_job_id: string | null;
}

/** The name of the consumer that every account has. */
export const defaultConsumer = 'default';

/** The name of the consumer of an event, for a statement in which `events` has the alias `e`. */
export const consumerName = `coalesce((select c.name from consumers c where c.id = e.consumer_id), 'default')`;

// A paused or disabled consumer keeps only what is due; what is due later waits for its time. Scalar subselects: for `exists`
// in a list, PostgreSQL may read the whole queue into a hash table.
const waitsForOf = (
  e: string,
) => `case when ${e}.delivery_status = 'pending' and (${e}.next_attempt_at is null or ${e}.next_attempt_at <= now())
      and (select q.claim_token is null or q.claimed_until <= now() from event_queue q where q.event_id = ${e}.id) then
      (select case when ${isPaused} then 'paused' when a.deleted_at is not null or c.deleted_at is not null then null
         when not a.enabled then 'account_disabled' when a.paused_since is not null or c.paused_since is not null then 'paused'
         when not c.enabled then 'consumer_disabled' end
       from accounts a left join consumers c on c.id = coalesce(${e}.consumer_id, a.id) where a.id = ${e}.account_id) end`;
const scheduleOf = (e: string) => `case when ${e}.delivery_status = 'pending' then
      coalesce((select json_array_length(c.options -> 'delaysMs') + 1 from consumers c where c.id = coalesce(${e}.consumer_id, ${e}.account_id)), ${scheduledAttempts}) end`;

/** Why the attempt of the event `e` that is due is not made, as SQL; null: it is being made, or is not due. */
export const waitsFor = waitsForOf('e');

/** The columns of `EventRow` from which an event's state is told, besides its statuses. @param e the alias of `events` */
export const stateColumns = (e: string) =>
  `${e}.attempts, ${e}.scheduled_attempts, ${scheduleOf(e)} as schedule_of, ${waitsForOf(e)} as waits_for, ${e}.failed_by_person`;

/** The columns of `EventRow`, for a statement in which `events` has the alias `e`. */
export const eventColumns = `e.id, e.account_id, e.provider, e.account_slug, e.app_key, e.event_type, e.external_id, e.status,
  e.delivery_status, e.last_error, e.response_code, e.generation, e.received_at, e.delivered_at,
  e.next_attempt_at, e.rejection_reason, e.rejection_detail, ${consumerName} as consumer, coalesce(e.request_id, e.id) as request_id,
  e.skipped_reason, e.backfilled_at, e.bulk_job_id, ${stateColumns('e')}`;

const readRows = {
  name: 'read_event_rows',
  text: `select ${eventColumns} from events e where e.id = any($1::uuid[]) and e.id between $2 and $3 order by e.id`,
};

/** Reads events by their ids, oldest first. Deleted ones are left out. */
export async function readEventRows(sql: Sql, ids: readonly string[]): Promise<EventRow[]> {
  return ids.length === 0 ? [] : sql.query<EventRow>(readRows, [ids, ...idRange(ids)]);
}

/** The notification channels (LISTEN/NOTIFY) on which committed changes wake the relay. */
export const channels = { queue: 'gateway_queue', commands: 'gateway_commands' } as const;
