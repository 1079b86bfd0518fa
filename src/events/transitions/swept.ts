import type { Sql } from '../../database/sql.ts';
import { lanes } from '../lanes.ts';
import { isAmong } from '../queue.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the sweep finds the event overdue | unchanged | unchanged |
 *
 * The event is queued for its workflow, which is started again if it is not running. Most overdue events have a
 * workflow that is only late (Temporal was down, or the account has too many attempts in flight). So each event is
 * queued at most every five minutes. Events that wait for the end of a pause or for their account are not overdue: they
 * have no time of their next attempt (queued-to-wait.ts).
 */
const sweepOverdue = {
  name: 'sweep_overdue_events',
  text: `
    with looked_at as materialized (
      select id, due_at, swept_at from events
      where due_at < now() - make_interval(secs => $1) and due_at >= $3::timestamptz
      order by due_at limit $2
    ), overdue as (
      select id from events where ${isAmong(
        'id',
        `select l.id from looked_at l where (l.swept_at is null or l.swept_at < now() - interval '5 minutes')
          -- An event that is already queued will get its workflow. Looked up for each: a join would read the whole queue.
          and (select q.event_id from event_queue q where q.event_id = l.id) is null`,
      )}
        -- Again, because the event may have changed before it was locked.
        and due_at < now() - make_interval(secs => $1) and (swept_at is null or swept_at < now() - interval '5 minutes')
      limit $4 for update skip locked
    ), swept as (
      update events e set swept_at = now() where ${isAmong('e.id', 'select id from overdue')}
      returning e.id, coalesce(e.consumer_id, e.account_id) as account_id, e.generation
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, ${lanes.pendingStart} from swept
      on conflict (event_id) do nothing
      returning event_id
    )
    select (select count(*) from queued)::integer as queued, (select count(*) from looked_at)::integer as seen,
      (select count(*) from swept)::integer as taken, (select max(due_at)::text from looked_at) as due_at`,
};

const readStartedOverdue = {
  name: 'read_started_overdue',
  text: `
    select id from events
    where due_at < now() - make_interval(secs => $1) and started_generation = generation
    order by due_at limit $2`,
};

/** The events that are overdue although their workflow was started, the longest overdue first. */
export async function startedOverdue(sql: Sql, options: { overdueS: number; limit: number }): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(readStartedOverdue, [options.overdueS, options.limit]);
  return rows.map(({ id }) => id);
}

/** Seconds after which an event that is past its time counts as overdue. */
export const overdueS = 120;

/** Where a pass of the sweep continues. */
export interface SweepPosition {
  /** When the last event was due that was looked at. As PostgreSQL writes it, because a `Date` has no microseconds. */
  dueAt: string;
  /** How many events to look at: more than the pass began with where that many were due at the same time. */
  limit: number;
}

/**
 * Queues overdue events, so that their workflow is started again if it is not running. The longest overdue come first.
 *
 * @param options `after`: where the call before has ended; null: a new pass
 * @returns how many were queued, and where to continue; null at the end of the pass.
 */
export async function sweep(
  sql: Sql,
  options: { overdueS: number; limit: number; after: SweepPosition | null },
): Promise<{ queued: number; next: SweepPosition | null }> {
  const { overdueS, after } = options;
  const limit = after?.limit ?? options.limit;
  const [row] = await sql.query<SweptRow>(sweepOverdue, [overdueS, limit, after?.dueAt ?? '-infinity', options.limit]);
  const { queued = 0, seen = 0, taken = 0, due_at: dueAt = null } = row ?? {};
  // Of more than it takes at once, the others are left for the next call from the same place.
  if (limit > options.limit && taken === options.limit) return { queued, next: after };
  if (dueAt === null || seen < limit) return { queued, next: null };
  return { queued, next: { dueAt, limit: dueAt === after?.dueAt ? 2 * limit : options.limit } };
}

interface SweptRow {
  queued: number;
  seen: number;
  taken: number;
  due_at: string | null;
}
