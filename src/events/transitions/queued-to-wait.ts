import type { Sql } from '../../database/sql.ts';
import { lanes } from '../lanes.ts';

/** Why an event that is due is not attempted. */
export type WaitsFor = 'paused' | 'account_disabled';

/**
 * Another run of the workflow can only start after the present one has ended, which takes some milliseconds. Claimed
 * earlier, the event would be queued again by the worker that sees the end (src/engine/ended-by-hand.ts).
 */
const untilEndedS = 2;

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the account is disabled or enabled | unchanged | unchanged |
 * | deliveries are paused or resumed | unchanged | unchanged |
 *
 * An event that is due but may not be sent waits in the queue, and nowhere else: its workflow ends, so that nothing has a
 * timer or asks again. Claims leave it there until deliveries are resumed and its account is enabled (`maySend` in
 * src/events/queue.ts).
 */
const queueToWait = {
  name: 'queue_to_wait',
  text: `
    with e as (
      update events set next_attempt_at = null, held_since = case when $3 then coalesce(held_since, now()) else held_since end
      where id = $1 and generation = $2 and delivery_status = 'pending'
      returning id, account_id, generation, held_since
    )
    insert into event_queue (event_id, account_id, generation, lane, lane_since, claimed_until)
    select id, account_id, generation, ${lanes.pendingStart}, case when $3 then held_since else now() end,
      now() + interval '${untilEndedS} seconds' from e
    -- An event that waits for its first attempt is still there; the process that has claimed it hands it back.
    on conflict (event_id) do nothing`,
};

/** Lets a due event wait in the queue. The days of one whose account is disabled count from the first call. */
export async function waitInQueue(
  sql: Sql,
  event: { eventId: string; generation: number; waitsFor: WaitsFor },
): Promise<void> {
  await sql.query(queueToWait, [event.eventId, event.generation, event.waitsFor === 'account_disabled']);
}
