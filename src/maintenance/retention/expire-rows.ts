import { databaseNowMs } from '../../database/clock.ts';
import type { Database } from '../../database/database.ts';
import { partitionDays } from '../../database/partitions.ts';
import { dayMs, isoDay, uuidFloor } from '../../database/uuid-time.ts';
import { boundedTransaction } from './bounded.ts';
import { expireRejected } from './expire-rejected.ts';
import { pageRanges, pagesADelete } from './pages.ts';

/** Rejected webhooks are useful while an account is being set up, but not after a month. */
const rejectedRetentionDays = 30;

/** The number of deleted rows of each kind. */
export type ExpiredRows = Record<
  | 'dedup_keys'
  | 'rejected_events'
  | 'rejection_counts'
  | 'rejection_days'
  | 'notification_summaries'
  | 'notification_bursts'
  | 'incident_messages'
  | 'bulk_jobs'
  | 'event_actions'
  | 'pauses'
  | 'rejection_checks'
  | 'incidents',
  number
>;

/**
 * Deletes expired rows that are not dropped together with a day:
 *
 * - deduplication keys whose time has passed: 24 hours, or longer where providers sign the time;
 * - rejected events after 30 days, or after the events' own retention if that is shorter;
 * - counts of rejections by minute after a day, and by day together with the rejected events;
 * - notification summaries 30 days after they were sent, or when their events are gone;
 * - burst rows of deleted destinations;
 * - messages about incidents after 90 days;
 * - bulk jobs 30 days after their end;
 * - what operators did with events whose day is gone, and pauses that ended before the oldest day;
 * - what checks of rejected webhooks have found, together with these;
 * - incidents 90 days after their end.
 *
 * It uses many short transactions, so it can be ended at any time and can run in several processes at once.
 *
 * @param options.eventRetentionDays null when events are kept forever
 * @param options.now the time from which the age of rejected events is computed, by default that of PostgreSQL's clock
 * @param options.signal ends the function before the next transaction
 * @throws the database's error, or the signal's reason.
 */
export async function expireRows(
  database: Database,
  options: { eventRetentionDays?: number | null; now?: Date; signal?: AbortSignal } = {},
): Promise<ExpiredRows> {
  const { now = new Date(await databaseNowMs(database)), signal } = options;
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
    // The row of an existing destination is kept, because it is reused.
    notification_bursts: await expire(
      database,
      signal,
      'notification_bursts',
      `not exists (select 1 from destinations d where d.id = destination_id)
       and not exists (select 1 from unnest(told_at) as t (at) where t.at > now() - interval '1 day')`,
    ),
    incident_messages: await expire(
      database,
      signal,
      'incident_messages',
      `status <> 'pending' and happened_at < now() - interval '90 days'`,
    ),
    bulk_jobs: await expire(database, signal, 'bulk_jobs', `ended_at < now() - interval '30 days'`),
    event_actions: await expire(database, signal, 'event_actions', 'event_id < $3::uuid', [uuidFloor(oldestDay)]),
    pauses: await expire(database, signal, 'pauses', 'ended_at < $3::timestamptz', [oldestDay]),
    // Of an acknowledged webhook, which is kept, too: a second check would make a second event. A subselect, because a
    // join might read all events.
    rejection_checks: await expire(
      database,
      signal,
      'rejection_checks',
      'rejected_event_id < $3::uuid and (select true from events e where e.id = rejected_event_id limit 1) is null',
      [uuidFloor(rejectedBefore)],
    ),
    incidents: await expire(
      database,
      signal,
      'incidents',
      `state = 'resolved' and resolved_at < now() - interval '90 days'`,
    ),
  };
}

/**
 * Deletes the rows of a table that meet a condition. It reads the whole table once. An index would slow down all
 * writes, and a large part of the table has to be deleted anyway.
 */
async function expire(
  database: Database,
  signal: AbortSignal | undefined,
  table: string,
  condition: string,
  values: unknown[] = [],
): Promise<number> {
  // Skips locked rows: they are being renewed, so they are not expired.
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
