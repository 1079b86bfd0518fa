import type { Sql } from '../database/sql.ts';
import { lanes } from './lanes.ts';
import { isPaused } from './pause.ts';
import { maySend, waitingConsumers } from './queue.ts';

/**
 * The events whose workflow is to be started and was not started yet. Those that wait for the end of a pause or for their
 * consumer are not among them.
 */
export interface WorkflowBacklog {
  /** How many there are, counted up to `countedStarts`. */
  waiting: number;
  /** Since when the one that waits longest waits for its workflow; null if none waits. */
  since: Date | null;
}

/** Starts that are counted at most: some 20 ms of work. So a large backlog does not make the statement slow. */
export const countedStarts = 100_000;

/**
 * The times since when the first pending event of each consumer waits: one index lookup per consumer. Of a consumer, the
 * oldest event is started first, so the times of the others matter only after a replay of an older event.
 */
const firstPending = `(
      with recursive hop as (
        (select account_id, lane_since from event_queue where lane = ${lanes.pendingStart} order by account_id, event_id limit 1)
        union all
        select next.* from hop cross join lateral (
          select q.account_id, q.lane_since from event_queue q where q.lane = ${lanes.pendingStart} and q.account_id > hop.account_id order by q.account_id, q.event_id limit 1
        ) next
      )
      select lane_since from hop where not ${isPaused} and ${maySend('hop.account_id')}
    )`;
const firstSettled = `(select lane_since from event_queue where lane = ${lanes.settledStart} order by event_id limit 1)`;
const counted = (lane: number, condition = 'true') =>
  `select 1 from event_queue where lane = ${lane} and ${condition} limit ${countedStarts}`;
const countedPending = counted(lanes.pendingStart, `not ${isPaused} and account_id not in (${waitingConsumers})`);

const readBacklog = {
  name: '',
  text: `
    select
      (select count(*) from ((${countedPending}) union all (${counted(lanes.settledStart)}) limit ${countedStarts}) q)::integer as waiting,
      (select min(lane_since) from (${firstPending} union all ${firstSettled}) firsts) as since`,
};

/** Reads how many workflows wait to be started, and since when. Its cost grows with the consumers, not with the events. */
export async function workflowBacklog(sql: Sql): Promise<WorkflowBacklog> {
  const [row] = await sql.query<WorkflowBacklog>(readBacklog, []);
  return row ?? { waiting: 0, since: null };
}
