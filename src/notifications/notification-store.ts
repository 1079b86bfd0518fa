import { databaseClock } from '../database/clock.ts';
import type { Sql } from '../database/sql.ts';
import type { EventRow } from '../events/event.ts';
import type { DestinationType } from './destinations/destination-config.ts';
import type { SealedSettings } from './destinations/sealed-settings.ts';
import type { NotificationKey, NotificationRef, NotificationStatus } from './notification.ts';
import { type FailedTry, outcomeUnknown } from './retries.ts';

/** A notification that this process has claimed for its next try. */
export interface ClaimedNotification {
  /** The number of the try that begins now, from 1. */
  attempt: number;
  settings: SealedSettings;
  /** As {@link databaseClock}. */
  nowMs: () => number;
  failedAt: Date;
  /** The event's fields at the time when it was exhausted. */
  eventThen: Pick<
    EventRow,
    | 'generation'
    | 'status'
    | 'delivery_status'
    | 'attempts'
    | 'last_error'
    | 'response_code'
    | 'delivered_at'
    | 'next_attempt_at'
    | 'schedule_of'
    | 'waits_for'
    | 'failed_by_person'
  >;
}

/** The state of a notification. */
export interface NotificationState {
  status: NotificationStatus;
  /** The number of tries that were begun. */
  attempts: number;
  /** Milliseconds until the next try may begin: the wait after a failed try, or the rest of the current claim. */
  waitMs: number;
  destinationType: DestinationType;
}

const keyOf = ({ eventId, generation, destinationId }: NotificationKey) => [eventId, generation, destinationId];
// The status is a parameter. As a literal, it would make the planner choose the partial index of pending rows, which
// may have a hundred thousand entries, instead of the primary key (with 20,000 pending rows: 8 ms per claim instead of
// 1 ms).
const byKey = 'event_id = $1 and generation = $2 and destination_id = $3';
const pending = 'pending';

const claimNotification = {
  name: 'claim_notification',
  text: `
    update notifications set attempts = attempts + 1, due_at = clock_timestamp() + make_interval(secs => $4)
    where ${byKey} and status = $6 and due_at <= clock_timestamp() and attempts < $5
    returning attempts, account_id, destination_type, config, failed_at, event_error, event_attempts, event_response_code,
      clock_timestamp() as read_at`,
};

interface ClaimRow {
  attempts: number;
  account_id: string;
  destination_type: DestinationType;
  config: Buffer;
  failed_at: Date;
  event_error: string | null;
  event_attempts: number;
  event_response_code: number | null;
  read_at: Date;
}

/**
 * Claims a notification for its next try; null when no try is due.
 *
 * @param options.tries the number of tries in total
 * @param options.leaseS the seconds for which no other process can claim it
 */
export async function claim(
  sql: Sql,
  key: NotificationKey,
  options: { tries: number; leaseS: number },
): Promise<ClaimedNotification | null> {
  const [row] = await sql.query<ClaimRow>(claimNotification, [
    ...keyOf(key),
    ...[options.leaseS, options.tries, pending],
  ]);
  if (!row) return null;
  const { account_id, destination_type, config } = row;
  return {
    attempt: row.attempts,
    settings: { id: key.destinationId, account_id, destination_type, config },
    nowMs: databaseClock(row.read_at),
    failedAt: row.failed_at,
    eventThen: {
      ...{ generation: key.generation, status: 'failed', delivery_status: 'failed' },
      ...{ attempts: row.event_attempts, last_error: row.event_error, response_code: row.event_response_code },
      ...{ delivered_at: null, next_attempt_at: null, schedule_of: null, waits_for: null, failed_by_person: null },
    },
  };
}

const readNotification = {
  name: 'read_notification',
  text: `
    select status, attempts, destination_type as "destinationType",
      coalesce(greatest(0, ceil(extract(epoch from due_at - clock_timestamp()) * 1000)), 0)::float8 as "waitMs"
    from notifications where ${byKey}`,
};

/** Reads the state of a notification; null when it does not exist or was deleted. */
export async function readState(sql: Sql, key: NotificationKey): Promise<NotificationState | null> {
  return (await sql.query<NotificationState>(readNotification, keyOf(key)))[0] ?? null;
}

const noteSent = {
  name: 'note_notification_sent',
  // Without a check of the claim: the message was sent, even if another process has claimed the notification since.
  text: `
    update notifications set status = 'sent', sent_at = clock_timestamp(), error = null, due_at = null
    where ${byKey} and status in ('pending', 'failed')`,
};

/** Records that the destination has accepted the message. */
export async function recordSent(sql: Sql, key: NotificationKey): Promise<void> {
  await sql.query(noteSent, keyOf(key));
}

const noteFailure = {
  name: 'note_notification_failure',
  text: `
    update notifications set error = coalesce($5, error, $7), status = case when $6::float8 is null then 'failed' else 'pending' end,
      due_at = clock_timestamp() + make_interval(secs => $6), attempts = attempts - (not $9::boolean)::integer
    where ${byKey} and status = $8 and attempts = $4 returning 1`,
};

/**
 * Records a failed try. Has no effect when a later try has begun since.
 *
 * @param failure.error null when the outcome of the try is unknown
 * @returns whether it had an effect.
 */
export async function recordFailure(
  sql: Sql,
  key: NotificationKey,
  failure: Omit<FailedTry, 'error'> & { error: string | null },
): Promise<boolean> {
  const waitS = failure.waitMs === null ? null : failure.waitMs / 1000;
  const { attempt, error, usesTry } = failure;
  const parameters = [...keyOf(key), attempt, error, waitS, outcomeUnknown, pending, usesTry];
  return (await sql.query(noteFailure, parameters)).length > 0;
}

/** The columns of `NotificationRef`, for a statement in which `notifications` has the alias `n`. */
const refColumns =
  'n.event_id as "eventId", n.generation, n.destination_id as "destinationId", n.destination_type as "destinationType"';

const readPending = {
  name: 'read_pending_notifications',
  text: `
    select ${refColumns} from notifications n
    where event_id = $1 and generation = $2 and status = $3 order by ordinal`,
};

/** The pending notifications of one generation of an event, in the order of the destinations. */
export function pendingNotifications(
  sql: Sql,
  event: { eventId: string; generation: number },
): Promise<NotificationRef[]> {
  return sql.query<NotificationRef>(readPending, [event.eventId, event.generation, pending]);
}

// A few of each destination, so that an unavailable destination with thousands of notifications does not delay the
// others.
const readOverdue = {
  name: 'read_overdue_notifications',
  text: `
    select ${refColumns}
    from (select distinct destination_id from notifications where status = 'pending') d
    cross join lateral (
      select * from notifications p
      where p.destination_id = d.destination_id and p.status = 'pending' and p.due_at < now() - make_interval(secs => $1)
      order by p.due_at limit $2
    ) n
    where d.destination_id <> all($3::uuid[])`,
};

/**
 * Pending notifications that are overdue by `overdueS` seconds: their workflow is lost or late.
 *
 * @param options.except ids of destinations to skip
 */
export function overdueNotifications(
  sql: Sql,
  options: { overdueS: number; perDestination: number; except: string[] },
): Promise<NotificationRef[]> {
  const { overdueS, perDestination, except } = options;
  return sql.query<NotificationRef>(readOverdue, [overdueS, perDestination, except]);
}
