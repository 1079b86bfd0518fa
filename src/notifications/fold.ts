import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '../database/sql.ts';
import { type BurstLimit, shareOut } from './bursts.ts';
import type { NewNotification } from './new-notifications.ts';

/** Event ids stored in a summary as examples. The summary links to a list with all events. */
const listedEvents = 10;

// One statement creates or locks the row. clock_timestamp() instead of now(), the start of the transaction: the
// previous holder of the lock may belong to a transaction that started later.
const lockBurst = {
  name: 'lock_burst',
  text: `
    insert into notification_bursts (destination_id, told_at) values ($1, '{}')
    on conflict (destination_id) do update set told_at = notification_bursts.told_at
    returning told_at, summary_id, clock_timestamp() as now`,
};

const countWaiting = {
  name: 'count_waiting_notifications',
  text: `select count(*)::integer as waiting from notifications where destination_id = $1 and status = 'pending' and failed_at <= $2`,
};

const writeBurst = {
  name: 'write_burst',
  text: 'update notification_bursts set told_at = $2, summary_id = $3 where destination_id = $1',
};

// A summary accepts no more events once its sending has begun.
const addToSummary = {
  name: 'add_to_summary',
  text: `
    update notification_summaries set events = events + $2,
      first_event_ids = (first_event_ids || $3::uuid[])[1:${listedEvents}],
      first_received_at = least(first_received_at, $4), last_received_at = greatest(last_received_at, $5), last_failed_at = $6,
      config = $7, destination_type = $8
    where id = $1 and status = 'pending' and attempts = 0 and due_at > $6
    returning id`,
};

const openSummary = {
  name: 'open_summary',
  text: `
    insert into notification_summaries (id, destination_id, account_id, destination_type, config, provider, account_slug, app_key, events,
      first_event_ids, first_received_at, last_received_at, first_failed_at, last_failed_at, status, due_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, 'pending', $14)`,
};

/**
 * Decides which notifications of one destination get a message of their own, and marks the others as folded into a
 * summary. The destination's row stays locked until the transaction ends, so that the limit holds for all workers
 * together.
 */
export async function foldBursts(sql: Sql, notifications: NewNotification[], limit: BurstLimit): Promise<void> {
  const [first] = notifications;
  if (!first) return;
  const { destination } = first;
  const [burst] = await sql.query<{ told_at: Date[]; summary_id: string | null; now: Date }>(lockBurst, [
    destination.id,
  ]);
  if (!burst) throw new Error('lock_burst returned no row');
  const { summary_id: summaryId, now } = burst;
  const open = summaryId !== null && (await add(sql, summaryId, notifications, now));
  const [still] = await sql.query<{ waiting: number }>(countWaiting, [
    destination.id,
    new Date(now.getTime() - limit.windowMs),
  ]);
  const state = { toldAt: burst.told_at, waiting: still?.waiting ?? 0 };
  const share = shareOut(state, open, notifications.length, now, limit);
  const folded = notifications.slice(share.single);
  const into = share.opens ? uuidv7() : summaryId;
  if (share.opens && into !== null) await begin(sql, into, folded, now, limit);
  for (const notification of folded) {
    notification.status = 'suppressed';
    notification.summaryId = into;
  }
  await sql.query(writeBurst, [destination.id, share.toldAt, folded.length > 0 ? into : null]);
}

function spanOf(notifications: NewNotification[]) {
  const received = notifications.map(({ event }) => event.received_at.getTime());
  return {
    ids: notifications.slice(0, listedEvents).map(({ event }) => event.id),
    firstReceived: new Date(Math.min(...received)),
    lastReceived: new Date(Math.max(...received)),
  };
}

async function add(sql: Sql, id: string, notifications: NewNotification[], now: Date): Promise<boolean> {
  const { ids, firstReceived, lastReceived } = spanOf(notifications);
  const destination = notifications[0]?.destination;
  const added = await sql.query(addToSummary, [
    ...[id, notifications.length, ids, firstReceived, lastReceived, now],
    ...[destination?.config, destination?.destination_type],
  ]);
  return added.length > 0;
}

async function begin(
  sql: Sql,
  id: string,
  notifications: NewNotification[],
  now: Date,
  { windowMs }: BurstLimit,
): Promise<void> {
  const [first] = notifications;
  if (!first) return;
  const { destination, event } = first;
  const { ids, firstReceived, lastReceived } = spanOf(notifications);
  await sql.query(openSummary, [
    ...[id, destination.id, destination.account_id, destination.destination_type, destination.config],
    ...[event.provider, event.account_slug, event.app_key, notifications.length],
    ...[ids, firstReceived, lastReceived, now, new Date(now.getTime() + windowMs)],
  ]);
}

/** Messages sent within this time after they were due count as sent without delay. */
export const lateMs = 5_000;

const addLateMessage = {
  name: 'add_late_message',
  // Replaces the oldest entry while the time of this message's own entry still counts. So every message counts exactly
  // once.
  text: `
    update notification_bursts
    set told_at = (case when $2 > clock_timestamp() - make_interval(secs => $3) then told_at[2:] else told_at end) || clock_timestamp()
    where destination_id = $1`,
};

/** Counts a message at the current time for the burst limit, because it was delayed or retried. */
export async function countLateMessage(
  sql: Sql,
  destinationId: string,
  { failedAt, burstMs }: { failedAt: Date; burstMs: number },
): Promise<void> {
  await sql.query(addLateMessage, [destinationId, failedAt, burstMs / 1000]);
}
