import type { Sql } from '../database/database.ts';
import type { DestinationType } from '../destinations/destination-config.ts';
import type { SealedSettings } from '../destinations/sealed-settings.ts';
import type { NotificationKey, NotificationRef, NotificationStatus } from './notification.ts';

/** A notification whose next try is ours to make until the claim ends. */
export interface ClaimedNotification {
  /** Of the try that begins now, from 1. */
  attempt: number;
  settings: SealedSettings;
  failedAt: Date;
  eventError: string | null;
  eventAttempts: number;
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
const byKey = 'event_id = $1 and generation = $2 and destination_id = $3';

const claimNotification = {
  name: 'claim_notification',
  text: `
    update notifications set attempts = attempts + 1, due_at = clock_timestamp() + make_interval(secs => $4)
    where ${byKey} and status = 'pending' and due_at <= clock_timestamp() and attempts < $5
    returning attempts, account_id, destination_type, config, failed_at, event_error, event_attempts`,
};

interface ClaimRow {
  attempts: number;
  account_id: string;
  destination_type: DestinationType;
  config: Buffer;
  failed_at: Date;
  event_error: string | null;
  event_attempts: number;
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
  const [row] = await sql.query<ClaimRow>(claimNotification, [...keyOf(key), options.leaseS, options.tries]);
  if (!row) return null;
  const { account_id, destination_type, config } = row;
  return {
    attempt: row.attempts,
    settings: { id: key.destinationId, account_id, destination_type, config },
    failedAt: row.failed_at,
    eventError: row.event_error,
    eventAttempts: row.event_attempts,
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
    where ${byKey} and status = 'pending' and attempts = $4`,
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
  await sql.query(noteFailure, [...keyOf(key), failure.attempt, failure.error, waitS, noError]);
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
    where event_id = $1 and generation = $2 and status = 'pending' order by ordinal`,
};

/** What is to be sent about one generation of an event, in the order of the destinations. */
export async function pendingNotifications(
  sql: Sql,
  event: { eventId: string; generation: number },
): Promise<NotificationRef[]> {
  return (await sql.query<RefRow>(readPending, [event.eventId, event.generation])).map(toRef);
}

const readOverdue = {
  name: 'read_overdue_notifications',
  text: `
    select event_id, generation, destination_id, destination_type from notifications
    where status = 'pending' and due_at < now() - make_interval(secs => $1) order by due_at limit $2`,
};

/** What should have been sent `overdueS` seconds ago: whoever had to is gone, or late. */
export async function overdueNotifications(
  sql: Sql,
  options: { overdueS: number; limit: number },
): Promise<NotificationRef[]> {
  return (await sql.query<RefRow>(readOverdue, [options.overdueS, options.limit])).map(toRef);
}
