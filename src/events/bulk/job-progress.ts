import type { Sql } from '../../database/sql.ts';
import { isPaused } from '../pause.ts';
import type { BulkJob } from './bulk-rows.ts';
import { firstHeld } from './held-events.ts';
import { type JobResults, resultsOf } from './job-results.ts';
import { startOf } from './next-events.ts';

/** What one job shows besides its row. */
interface JobProgress {
  /** The given ids in ascending order; null if the job has a filter. */
  event_ids: string[] | null;
  waits_for: 'paused' | null;
  results: JobResults;
}

interface PlaceRow {
  event_ids: string[] | null;
  next_event: string | null;
  first_event: string | null;
  batch_to: string | null;
  paused: boolean;
}

const readPlace = {
  name: 'read_bulk_job_place',
  text: `select event_ids, next_event, first_event, batch_to, ${isPaused} as paused from bulk_jobs where id = $1`,
};

/**
 * Reads the given ids of a job, what it waits for, and what became of its events.
 *
 * @param sql plans each statement for its values (`database.reader`).
 */
export async function progressOf(sql: Sql, job: BulkJob): Promise<JobProgress> {
  const [place] = await sql.query<PlaceRow>(readPlace, [job.id]);
  const { event_ids = null, first_event: first, batch_to: last } = place ?? {};
  const results = await resultsOf(sql, job, first != null && last != null ? [first, last] : []);
  return { event_ids, waits_for: place && (await isWaiting(sql, job, place)) ? 'paused' : null, results };
}

/** Whether a pause holds up the next event of a job. */
async function isWaiting(sql: Sql, job: BulkJob, place: PlaceRow): Promise<boolean> {
  if (job.state !== 'running') return false;
  if (job.per_second === null || job.action === 'backfill') return place.paused && job.action === 'retry';
  const start = startOf({ ...job, ...place });
  return place.paused || (start !== null && (await firstHeld(sql, [start])) !== null);
}
