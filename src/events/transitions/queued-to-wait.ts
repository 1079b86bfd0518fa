import type { Sql } from '../../database/sql.ts';
import type { WaitsFor } from '../event.ts';
import { lanes } from '../lanes.ts';
import { isPaused } from '../pause.ts';
import { isAmong, waitingConsumers } from '../queue.ts';

/**
 * Another run of the workflow can only start after the present one has ended, which takes some milliseconds. Claimed
 * earlier, the event would be queued again by the worker that sees the end (src/engine/ended-by-hand.ts).
 */
const untilEndedS = 2;

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the account or the consumer is disabled or enabled | unchanged | unchanged |
 * | deliveries are paused or resumed | unchanged | unchanged |
 *
 * An event that is due but may not be sent waits in the queue, and nowhere else: its workflow ends, so that nothing has a
 * timer or asks again. Claims leave it there until deliveries are resumed and its consumer is enabled (`maySend` in
 * src/events/queue.ts). Then an api makes the attempt, as it makes first ones (the column `direct`), because ten thousand
 * workflows would take minutes to start. If no api makes attempts, the event gets its next workflow; for its last attempt it
 * always does, because a workflow sends the notifications.
 */
const queueToWait = {
  name: 'queue_to_wait',
  text: `
    with e as (
      update events set next_attempt_at = null, started_generation = generation - 1, held_since = case when $3 then coalesce(held_since, now()) else held_since end
      where id = $1 and generation = $2 and delivery_status = 'pending'
      returning id, coalesce(consumer_id, account_id) as account_id, generation, scheduled_attempts, held_since
    )
    insert into event_queue (event_id, account_id, generation, lane, direct, lane_since, claimed_until)
    select id, account_id, generation, ${lanes.pendingStart}, scheduled_attempts < $4, case when $3 then held_since else now() end,
      now() + interval '${untilEndedS} seconds' from e
    -- An event that waits for its first attempt is still there; the process that has claimed it hands it back. One that the
    -- sweep has queued is there, too, and waits for an attempt now.
    on conflict (event_id) do update set direct = excluded.direct, lane_since = excluded.lane_since, claimed_until = excluded.claimed_until
    where event_queue.lane = ${lanes.pendingStart} and event_queue.generation = excluded.generation
      and (event_queue.claimed_until is null or event_queue.claimed_until <= now())`,
};

/**
 * Lets a due event wait in the queue. The days of one whose account or consumer is disabled count from the first call.
 *
 * @param event `lastAttempt`: the number of the schedule's last attempt
 */
export async function waitInQueue(
  sql: Sql,
  event: { eventId: string; generation: number; waitsFor: WaitsFor; lastAttempt: number },
): Promise<void> {
  await sql.query(queueToWait, [
    ...[event.eventId, event.generation, event.waitsFor !== 'paused', event.lastAttempt - 1],
  ]);
}

// An event whose first attempt failed just before or during the pause is in the queue already, and has no workflow yet. One that
// the sweep has queued has a workflow, which is only late: it makes the attempt itself.
const markDue = {
  name: 'mark_due_of_queue',
  text: `
    with held as materialized (
      select event_id, generation from event_queue
      where lane = ${lanes.pendingStart} and not direct and (claimed_until is null or claimed_until <= now())
        and (${isPaused} or account_id = any(array(${waitingConsumers})))
      order by event_id
    ), due as (
      -- Looks for each of them. A join sometimes walks all events that are stored.
      select d.id from held h cross join lateral (
        select e.id from events e
        where e.id = h.event_id and e.generation = h.generation and e.due_at <= now() and e.scheduled_attempts < $1
          and e.started_generation < e.generation
        limit 1 for update skip locked
      ) d limit $2
    ), waiting as (
      update events e set next_attempt_at = null, started_generation = generation - 1 where ${isAmong('e.id', 'select id from due')} returning e.id
    )
    -- In the assignment, for the count: a worker may have claimed the event since. Its workflow may run then, and makes the attempt.
    update event_queue q set direct = q.direct or q.claimed_until is null or q.claimed_until <= now()
    where ${isAmong('q.event_id', 'select id from waiting')} returning q.event_id`,
};

/**
 * Lets an api make the next attempt of events that became due in the queue.
 *
 * @returns how many were looked at; as many as `limit` when more may be left.
 */
export async function letDueWait(sql: Sql, options: { lastAttempt: number; limit: number }): Promise<number> {
  return (await sql.query(markDue, [options.lastAttempt - 1, options.limit])).length;
}
