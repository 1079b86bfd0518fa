import type { Database } from '../../database/database.ts';
import { partitionDays } from '../../database/partitions.ts';
import { dayMs, isoDay } from '../../database/uuid-time.ts';
import { boundedTransaction } from './bounded.ts';
import { expireRejected } from './expire-rejected.ts';
import { pageRanges, pagesADelete } from './pages.ts';

/** People look at rejected webhooks while they set an account up; a month later nobody does. */
const rejectedRetentionDays = 30;

/** How many rows of each kind have expired. */
export type ExpiredRows = Record<
  | 'dedup_keys'
  | 'rejected_events'
  | 'rejection_counts'
  | 'rejection_days'
  | 'notification_summaries'
  | 'notification_bursts',
  number
>;

/**
 * Deletes what has expired and goes with no day: deduplication keys after their 24 hours; rejected events after 30 days,
 * or after the events' own retention if that is shorter; counts of rejections by minute after a day, by day with
 * the rejected events; summaries of notifications 30
 * days after they were sent, or when their events are gone; what is known about the bursts of deleted destinations. Many
 * short transactions, so that it can be ended at any moment, and run by several at once.
 *
 * @param options.eventRetentionDays null when events are kept for ever
 * @param options.now by which rejected events are as old as they are
 * @param options.signal ends it before the next transaction
 * @throws what the database throws, and the signal's reason.
 */
export async function expireRows(
  database: Database,
  options: { eventRetentionDays?: number | null; now?: Date; signal?: AbortSignal } = {},
): Promise<ExpiredRows> {
  const { now = new Date(), signal } = options;
  const days = Math.min(rejectedRetentionDays, options.eventRetentionDays ?? rejectedRetentionDays);
  const rejectedBefore = new Date(Math.floor(now.getTime() / dayMs - days) * dayMs);
  const [oldestDay = new Date(0)] = await partitionDays(database);
  return {
    dedup_keys: await expire(database, signal, 'event_dedup', 'expires_at <= now()'),
    rejected_events: await expireRejected(database, rejectedBefore, signal),
    rejection_counts: await expire(database, signal, 'rejection_counts', `minute < now() - interval '1 day'`),
    rejection_days: await expire(database, signal, 'rejection_days', 'day < $3::date', [isoDay(rejectedBefore)]),
    notification_summaries: await expire(
      database,
      signal,
      'notification_summaries',
      `status <> 'pending' and (coalesce(sent_at, last_failed_at) < now() - interval '30 days' or last_received_at < $3::timestamptz)`,
      [oldestDay],
    ),
    // Of a destination that is still there the row is used again and again.
    notification_bursts: await expire(
      database,
      signal,
      'notification_bursts',
      `not exists (select 1 from destinations d where d.id = destination_id)
       and not exists (select 1 from unnest(told_at) as t (at) where t.at > now() - interval '1 day')`,
    ),
  };
}

/**
 * Deletes the rows of a table that meet a condition. Every pass reads the whole table once, since there is no index: much of
 * it is to be deleted, and an index would cost whoever writes.
 */
async function expire(
  database: Database,
  signal: AbortSignal | undefined,
  table: string,
  condition: string,
  values: unknown[] = [],
): Promise<number> {
  // What is locked is being renewed: it is no longer what has expired.
  const text = `
    with gone as (
      delete from ${table} where ctid = any(array(
        select ctid from ${table} where ctid >= $1::tid and ctid < $2::tid and ${condition} for update skip locked
      )) returning 1
    )
    select count(*)::integer as n from gone`;
  let expired = 0;
  for (const range of await pageRanges(database, table, pagesADelete)) {
    signal?.throwIfAborted();
    const [row] = await boundedTransaction(database, (sql) =>
      sql.query<{ n: number }>({ name: '', text }, [...range, ...values]),
    );
    expired += row?.n ?? 0;
  }
  return expired;
}
