import type { Sql } from '../../database/sql.ts';
import { columnsOf } from '../../shared/columns-of.ts';
import { lanes } from '../lanes.ts';
import { recordActions } from '../timeline/event-actions.ts';
import { declareDead } from './declared-dead.ts';
import { beginOperation } from './operation.ts';

/** What `last_error` says of an event whose workflow was cancelled. */
const cancelled = 'cancelled in Temporal';

const readPending = {
  name: 'read_pending_of_run',
  // A newer generation in the queue is about to get its workflow, because of a replay. The run's own generation may be there
  // because an earlier run was terminated. A replay that was sent by hand gives the run a generation above the row's.
  text: `
    select generation from events e
    where id = $1 and delivery_status = 'pending'
      and (generation <= $2 or ($3 and not exists (select from event_queue q where q.event_id = e.id)))`,
};

/** A run that was cancelled. */
export interface CancelledRun {
  eventId: string;
  /** With which the run was started; null if that is not known any more. A replay may have begun a newer one in it. */
  generation: number | null;
  /** Whether no other run of the event's workflow has begun since. */
  isLatest: boolean;
}

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | a person cancels its workflow in Temporal | `dead` if the delivery was `pending`, else unchanged | `failed` if it was `pending` |
 *
 * Call it in a transaction.
 *
 * @returns the generation that was declared dead; null if the delivery had ended, or another worker was first.
 */
export async function endCancelled(sql: Sql, run: CancelledRun): Promise<number | null> {
  const { eventId, generation, isLatest } = run;
  // First, because the queue has the row of a replay only for a snapshot after the replay's commit.
  await beginOperation(sql, eventId);
  const [pending] = await sql.query<{ generation: number }>(readPending, [eventId, generation, isLatest]);
  if (!pending) return null;
  const done = await declareDead(sql, eventId, cancelled);
  if (!done.ok) return null;
  await recordActions(sql, [eventId], { action: 'dead', actor: 'temporal', reason: cancelled, jobId: null });
  return pending.generation;
}

/** Whether notifications of an exhausted event are left to send; `events` has the alias `e`. */
const isUntold = `(e.delivery_status = 'failed' and exists (
      select from notifications n where n.event_id = e.id and n.generation = e.generation and n.status = 'pending'))`;

/** Queues those of the given events for which there is something to do in one of the given generations, and returns them. */
const queueAgain = {
  name: 'queue_without_workflow',
  text: `
    insert into event_queue (event_id, account_id, generation, lane)
    select e.id, coalesce(e.consumer_id, e.account_id), e.generation, ${lanes.pendingStart}
    from unnest($1::uuid[], $2::integer[], $3::integer[]) as i (event_id, lowest, highest) join events e on e.id = i.event_id
    where (e.delivery_status = 'pending' or ${isUntold}) and e.generation between i.lowest and i.highest
    on conflict (event_id) do nothing
    returning event_id as "eventId", (select delivery_status = 'pending' from events e where e.id = event_id) as "isPending"`,
};

/** An event whose workflow has ended, and the generations in which its row may need another one. */
export interface WithoutWorkflow {
  eventId: string;
  lowest: number;
  highest: number;
}

/** An event whose row may need another workflow in any generation. */
export const inEveryGeneration = (eventId: string): WithoutWorkflow => ({ eventId, lowest: 0, highest: 2_147_483_647 });

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | a person terminates or resets its workflow in Temporal | unchanged | unchanged |
 *
 * A pending event gets another workflow, which continues from its row, and so does an exhausted one whose notifications are
 * not all settled.
 *
 * @returns the events that were queued.
 */
export async function startAgain(sql: Sql, events: readonly WithoutWorkflow[]): Promise<Queued[]> {
  if (events.length === 0) return [];
  return sql.query<Queued>(queueAgain, columnsOf(events, 'eventId', 'lowest', 'highest'));
}

/** An event that was queued for another workflow: for its delivery, or for its notifications only. */
export interface Queued {
  eventId: string;
  isPending: boolean;
}

const readUnfinished = {
  name: 'read_unfinished_of',
  text: `select id from events e where id = any($1::uuid[]) and (delivery_status = 'pending' or ${isUntold})`,
};

/** Those of the events whose delivery has not ended, or whose notifications are not all settled. */
export async function unfinishedOf(sql: Sql, eventIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql.query<{ id: string }>(readUnfinished, [eventIds]);
  return new Set(rows.map(({ id }) => id));
}
