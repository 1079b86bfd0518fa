import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '../database/sql.ts';
import { type BurstLimit, shareOut } from './bursts.ts';
import type { NewNotification } from './new-notifications.ts';

/** Enough to see what kind of events they are; the rest is in the list that the summary links to. */
const listedEvents = 10;

// The row is made or locked, at once. The clock, not the transaction's beginning: whoever held the lock before may have
// begun later.
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

// One that is being sent, or was, takes nothing any more.
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
 * Decides which of one destination's notifications are sent one by one, and marks the others as folded into a summary.
 * The destination's row is locked until the transaction ends, so that all workers together keep the limit.
 */
export async function foldBursts(sql: Sql, notifications: NewNotification[], limit: BurstLimit): Promise<void> {
  const [first] = notifications;
  if (!first) return;
  const { destination } = first;
  const [burst] = await sql.query<{ told_at: Date[]; summary_id: string | null; now: Date }>(lockBurst, [
    destination.id,
  ]);
  if (!burst) throw new Error('an insert that answers with its row gave none');
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

const addLateMessage = {
  name: 'add_late_message',
  // In place of the oldest while the time that was noted for it still counts; so no message counts twice, and none not at all.
  text: `
    update notification_bursts
    set told_at = (case when $2 > clock_timestamp() - make_interval(secs => $3) then told_at[2:] else told_at end) || clock_timestamp()
    where destination_id = $1`,
};

/** Notes that a message arrived only now: it was held back or tried again. */
export async function countLateMessage(
  sql: Sql,
  destinationId: string,
  { failedAt, burstMs }: { failedAt: Date; burstMs: number },
): Promise<void> {
  await sql.query(addLateMessage, [destinationId, failedAt, burstMs / 1000]);
}
