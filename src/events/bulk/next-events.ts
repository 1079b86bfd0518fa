import type { Sql } from '../../database/sql.ts';
import { dayMs, uuidMs } from '../../database/uuid-time.ts';
import type { ListFilters } from '../event-filters.ts';
import { matchedOf } from './bulk-job.ts';
import type { NextEvents } from './held-events.ts';
import type { LeasedJob } from './leased-job.ts';
import { batchDays, nextMatches, withinDays } from './matching-events.ts';

/** For reading a batch. Sparse filters make progress over several batches. */
const readMs = 2_000;

/** The event at which the next batch begins, or the lowest id that it may have; null if the job has ended. */
export const startOf = (job: Pick<LeasedJob, 'event_ids' | 'next_event' | 'done' | 'failed' | 'skipped'>) =>
  job.event_ids ? (job.event_ids[matchedOf(job)] ?? null) : job.next_event;

/**
 * The next events of a job, and the position after them.
 *
 * @param slices reads the slices of a walk (`slicesOf`).
 * @param filter that of the job; null if it has ids
 */
export async function nextEvents(
  slices: Sql,
  job: LeasedJob,
  filter: ListFilters | null,
  most: number,
): Promise<NextEvents> {
  const { event_ids: given, next_event: next, last_event: last, slice_ms: sliceMs } = job;
  if (given) {
    const from = matchedOf(job);
    const ids = given.slice(from, from + most);
    const kept = ids.filter((id) => uuidMs(id) - uuidMs(ids[0] ?? id) <= batchDays * dayMs);
    return { ids: kept, place: null, end: from + kept.length >= given.length };
  }
  if (filter === null || next === null || last === null) return { ids: [], place: null, end: true };
  return withinDays(await nextMatches(slices, filter, { next, last, sliceMs }, { most, timeMs: readMs }));
}
