import type { Sql } from '../database/sql.ts';
import type { DestinationType } from '../destinations/destination-config.ts';
import type { SealedSettings } from '../destinations/sealed-settings.ts';
import type { EventRow } from '../events/event.ts';
import type { NotificationKey, NotificationRef, NotificationStatus } from './notification.ts';

/** A notification whose next try is ours to make until the claim ends. */
export interface ClaimedNotification {
  /** Of the try that begins now, from 1. */
  attempt: number;
  settings: SealedSettings;
  failedAt: Date;
  /** The event as it was when its delivery failed for good. */
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
  >;
}

/** How a notification stands. */
export interface NotificationState {
  status: NotificationStatus;
  /** Tries that were begun. */
  attempts: number;
  /** Until the next try may begin: the wait after a failed one, or the claim of the one that is being made. */
  waitMs: number;
}

const keyOf = ({ eventId, generation, destinationId }: NotificationKey) => [eventId, generation, destinationId];
// The status is a parameter: named in the text it would have the planner take the index of what is pending, which may be a
// hundred thousand rows, for the one row that the primary key finds (20,000 pending: 8 ms a claim, and 1 ms so).
const byKey = 'event_id = $1 and generation = $2 and destination_id = $3';
const pending = 'pending';

const claimNotification = {
  name: 'claim_notification',
  text: `
    update notifications set attempts = attempts + 1, due_at = clock_timestamp() + make_interval(secs => $4)
    where ${byKey} and status = $6 and due_at <= clock_timestamp() and attempts < $5
    returning attempts, account_id, destination_type, config, failed_at, event_error, event_attempts, event_response_code`,
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
}

/**
 * Begins a try, if there is one to make now.
 *
 * @param options.tries how many there are in all
 * @param options.leaseS how long nobody else begins the next one
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
    failedAt: row.failed_at,
    eventThen: {
      ...{ generation: key.generation, status: 'failed', delivery_status: 'failed' },
      ...{ attempts: row.event_attempts, last_error: row.event_error, response_code: row.event_response_code },
      ...{ delivered_at: null, next_attempt_at: null },
    },
  };
}

const readNotification = {
  name: 'read_notification',
  text: `
    select status, attempts,
      coalesce(greatest(0, ceil(extract(epoch from due_at - clock_timestamp()) * 1000)), 0)::float8 as wait_ms
    from notifications where ${byKey}`,
};

/** Null when there is no such notification (any more). */
export async function readState(sql: Sql, key: NotificationKey): Promise<NotificationState | null> {
  const [row] = await sql.query<{ status: NotificationStatus; attempts: number; wait_ms: number }>(
    readNotification,
    keyOf(key),
  );
  return row ? { status: row.status, attempts: row.attempts, waitMs: row.wait_ms } : null;
}

const noteSent = {
  name: 'note_notification_sent',
  // Whoever holds the claim by now, and whatever they found: it was sent.
  text: `
    update notifications set status = 'sent', sent_at = clock_timestamp(), error = null, due_at = null
    where ${byKey} and status in ('pending', 'failed')`,
};

/** The destination has taken it. */
export async function recordSent(sql: Sql, key: NotificationKey): Promise<void> {
  await sql.query(noteSent, keyOf(key));
}

const noteFailure = {
  name: 'note_notification_failure',
  text: `
    update notifications set error = coalesce($5, error, $7), status = case when $6::float8 is null then 'failed' else 'pending' end,
      due_at = clock_timestamp() + make_interval(secs => $6)
    where ${byKey} and status = $8 and attempts = $4`,
};

const noError = 'the worker ended during the last try; it may have arrived';

/**
 * A try has failed; nothing changes when another one was begun since.
 *
 * @param failure.error null when nobody knows how the try ended
 * @param failure.waitMs until the next one; null when there is none
 */
export async function recordFailure(
  sql: Sql,
  key: NotificationKey,
  failure: { attempt: number; error: string | null; waitMs: number | null },
): Promise<void> {
  const waitS = failure.waitMs === null ? null : failure.waitMs / 1000;
  await sql.query(noteFailure, [...keyOf(key), failure.attempt, failure.error, waitS, noError, pending]);
}

interface RefRow {
  event_id: string;
  generation: number;
  destination_id: string;
  destination_type: DestinationType;
}

const toRef = (row: RefRow): NotificationRef => ({
  eventId: row.event_id,
  generation: row.generation,
  destinationId: row.destination_id,
  destinationType: row.destination_type,
});

const readPending = {
  name: 'read_pending_notifications',
  text: `
    select event_id, generation, destination_id, destination_type from notifications
    where event_id = $1 and generation = $2 and status = $3 order by ordinal`,
};

/** What is to be sent about one generation of an event, in the order of the destinations. */
export async function pendingNotifications(
  sql: Sql,
  event: { eventId: string; generation: number },
): Promise<NotificationRef[]> {
  return (await sql.query<RefRow>(readPending, [event.eventId, event.generation, pending])).map(toRef);
}

// A few of each destination, so that one with thousands that it does not take keeps none of the others waiting.
const readOverdue = {
  name: 'read_overdue_notifications',
  text: `
    select n.event_id, n.generation, n.destination_id, n.destination_type
    from (select distinct destination_id from notifications where status = 'pending') d
    cross join lateral (
      select * from notifications p
      where p.destination_id = d.destination_id and p.status = 'pending' and p.due_at < now() - make_interval(secs => $1)
      order by p.due_at limit $2
    ) n
    where d.destination_id <> all($3::uuid[])`,
};

/**
 * What should have been sent `overdueS` seconds ago: whoever had to is gone, or late.
 *
 * @param options.except destinations that are not to be looked at
 */
export async function overdueNotifications(
  sql: Sql,
  options: { overdueS: number; perDestination: number; except: string[] },
): Promise<NotificationRef[]> {
  const { overdueS, perDestination, except } = options;
  return (await sql.query<RefRow>(readOverdue, [overdueS, perDestination, except])).map(toRef);
}
