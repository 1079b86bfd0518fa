import type { Sql } from '../../database/sql.ts';
import { idRange } from '../id-range.ts';
import type { Matches, Place } from './matching-events.ts';

// Disabled accounts and consumers hold up nothing: they may stay so for days, and their events wait as those of a single replay do.
const findHeld = {
  name: 'find_held_event',
  text: `
    select e.id from events e join accounts a on a.id = e.account_id left join consumers c on c.id = coalesce(e.consumer_id, a.id)
    where e.id = any($1::uuid[]) and e.id between $2 and $3 and e.rejection_reason is null and e.skipped_reason is null
      and a.deleted_at is null and a.enabled and c.deleted_at is null and coalesce(c.enabled, true)
      and (a.paused_since is not null or c.paused_since is not null)
    order by e.id limit 1`,
};

/**
 * The first of these events whose account or consumer is paused; null if there is none.
 *
 * A job with a pace stops before it. If it went on, the events of hours would be attempted at once after the pause.
 */
export async function firstHeld(sql: Sql, ids: readonly string[]): Promise<string | null> {
  if (ids.length === 0) return null;
  const [held] = await sql.query<{ id: string }>(findHeld, [ids, ...idRange(ids)]);
  return held?.id ?? null;
}

/** The next events of a job, and the position after them; the place is null if the job has ids. */
export type NextEvents = Omit<Matches, 'place'> & { place: Place | null };

/** Leaves the first event that a pause holds up, and those after it, to a later batch. */
export async function beforeHeld(sql: Sql, found: NextEvents): Promise<NextEvents & { isHeld: boolean }> {
  const held = await firstHeld(sql, found.ids);
  if (held === null) return { ...found, isHeld: false };
  const { ids, place } = found;
  return {
    ids: ids.slice(0, ids.indexOf(held)),
    place: place && { ...place, next: held },
    ...{ end: false, isHeld: true },
  };
}
