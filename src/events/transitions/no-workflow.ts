import type { Sql } from '../../database/sql.ts';

/** Rows per transaction: some 20 ms of work. Recording an attempt of one of these events waits for the transaction. */
const rowsABatch = 1_000;

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | it leaves the queue without a workflow | `enqueued` if it was `received` | unchanged |
 *
 * Only with EVENT_WORKFLOWS=on_retry, and only after the delivery has ended. Usually the statement that records the
 * attempt does this (migrations/functions/record_outcomes_3.sql). This one is for all others: deliveries that ended
 * without an attempt, and events that waited for their workflow when the policy was changed from `always`.
 */
const releaseSettled = { name: 'release_settled', text: 'select release_settled($1) as seen' };

/**
 * Removes a batch of settled events from the queue.
 *
 * @returns whether more may be waiting.
 */
export async function releaseSettledEvents(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ seen: number }>(releaseSettled, [rowsABatch]);
  return row?.seen === rowsABatch;
}
