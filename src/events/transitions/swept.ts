import type { Sql } from '../../database/sql.ts';
import { lanes } from '../lanes.ts';

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
    with overdue as (
      select id from events
      where due_at < now() - make_interval(secs => $1)
        and (swept_at is null or swept_at < now() - interval '5 minutes')
      order by due_at limit $2 for update skip locked
    ), swept as (
      update events e set swept_at = now() from overdue o where e.id = o.id
      returning e.id, coalesce(e.consumer_id, e.account_id) as account_id, e.generation
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, ${lanes.pendingStart} from swept
      -- An event that is already queued will get its workflow.
      on conflict (event_id) do nothing
      returning event_id
    )
    select (select count(*) from queued)::integer as queued, (select count(*) from swept)::integer as seen`,
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

const forgetSweep = {
  name: 'forget_sweep',
  text: 'update events set swept_at = null where id = $1',
};

/** Lets the next sweep queue the event if it is overdue, and not only five minutes after the last one that did. */
export async function sweepSoon(sql: Sql, eventId: string): Promise<void> {
  await sql.query(forgetSweep, [eventId]);
}

/** Seconds after which an event that is past its time counts as overdue. */
export const overdueS = 120;

/**
 * Queues overdue events, so that their workflow is started again if it is not running.
 *
 * @returns how many were queued, and whether more may be overdue.
 */
export async function sweep(
  sql: Sql,
  options: { overdueS: number; limit: number },
): Promise<{ queued: number; more: boolean }> {
  const [row] = await sql.query<{ queued: number; seen: number }>(sweepOverdue, [options.overdueS, options.limit]);
  return { queued: row?.queued ?? 0, more: row?.seen === options.limit };
}
