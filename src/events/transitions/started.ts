import type { Sql } from '../../database/sql.ts';
import { columnsOf } from '../../shared/columns-of.ts';
import { idRange } from '../id-range.ts';
import type { ClaimName } from '../queue.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | its workflow starts | `enqueued` if it was `received` | unchanged |
 *
 * The statement: migrations/functions/mark_started.sql.
 */
const markStarted = { name: 'mark_started', text: 'select mark_started($1, $2, $3, $4, $5, $6)' };

/** A claimed event whose workflow was started; `runId` is null if the run is not known. */
export interface Started extends ClaimName {
  runId: string | null;
}

/** Records that workflows were started, and deletes the events from the queue. Skips claims that were lost. */
export async function markStartedEvents(sql: Sql, started: Started[]): Promise<void> {
  await sql.query(markStarted, [
    ...columnsOf(started, 'eventId', 'generation', 'token', 'runId'),
    ...idRange(started.map((s) => s.eventId)),
  ]);
}
