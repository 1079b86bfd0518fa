import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from '../../faults/postgres.ts';

const lookMs = 500;

/**
 * Waits until no event is pending, in the queue, or has a notification to be sent. With EVENT_WORKFLOWS=on_retry, most events
 * never get a workflow, so this does not wait for one; with `always`, an event leaves the queue when it has its workflow.
 *
 * @throws Error after the limit, with what is left
 */
export async function untilQuiet({ query }: Postgres, limitMs: number): Promise<void> {
  for (const endMs = performance.now() + limitMs; ; await sleep(lookMs)) {
    const [row] = await query<{ pending: number; queued: number; unsent: number }>(
      `select (select count(*)::integer from events where delivery_status = 'pending') as pending,
         (select count(*)::integer from event_queue) as queued,
         (select count(*)::integer from notifications where status = 'pending') as unsent`,
    );
    if (row && row.pending + row.queued + row.unsent === 0) return;
    if (performance.now() > endMs) throw new Error(`not quiet after ${limitMs / 1000} s: ${JSON.stringify(row)}`);
  }
}
