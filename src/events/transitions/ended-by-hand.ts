import type { Sql } from '../../database/sql.ts';
import { columnsOf } from '../../shared/columns-of.ts';
import { lanes } from '../lanes.ts';
import { declareDead } from './declared-dead.ts';

/** What `last_error` says of an event whose workflow was cancelled. */
const cancelled = 'cancelled in Temporal';

const lockPending = {
  name: 'lock_pending_event',
  // An event in the queue is about to get another workflow, because of a replay for example.
  text: `
    select generation from events e
    where id = $1 and delivery_status = 'pending' and not exists (select from event_queue q where q.event_id = e.id)
    for update`,
};

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | a person cancels its workflow in Temporal | `dead` if the delivery was `pending`, else unchanged | `failed` if it was `pending` |
 *
 * Call it in a transaction.
 *
 * @returns the generation that was declared dead; null if the delivery had ended, or another worker was first.
 */
export async function endCancelled(sql: Sql, eventId: string): Promise<number | null> {
  const [pending] = await sql.query<{ generation: number }>(lockPending, [eventId]);
  if (!pending) return null;
  const done = await declareDead(sql, eventId, cancelled);
  return done.ok ? pending.generation : null;
}

/** Queues those of the given events that are pending in one of the given generations, and returns them. */
const queueAgain = {
  name: 'queue_without_workflow',
  text: `
    insert into event_queue (event_id, account_id, generation, lane)
    select e.id, e.account_id, e.generation, ${lanes.pendingStart}
    from unnest($1::uuid[], $2::integer[], $3::integer[]) as i (event_id, lowest, highest) join events e on e.id = i.event_id
    where e.delivery_status = 'pending' and e.generation between i.lowest and i.highest
    on conflict (event_id) do nothing
    returning event_id`,
};

/** An event whose workflow has ended, and the generations of which its row may be pending without one. */
export interface WithoutWorkflow {
  eventId: string;
  lowest: number;
  highest: number;
}

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | a person terminates or resets its workflow in Temporal | unchanged | unchanged |
 *
 * A pending event gets another workflow, which continues from its row.
 *
 * @returns the events that were queued.
 */
export async function startAgain(sql: Sql, events: readonly WithoutWorkflow[]): Promise<string[]> {
  if (events.length === 0) return [];
  const rows = await sql.query<{ event_id: string }>(queueAgain, columnsOf(events, 'eventId', 'lowest', 'highest'));
  return rows.map((row) => row.event_id);
}

const readPending = {
  name: 'read_pending_of',
  text: `select id from events where id = any($1::uuid[]) and delivery_status = 'pending'`,
};

/** Those of the events whose delivery has not ended. */
export async function pendingOf(sql: Sql, eventIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql.query<{ id: string }>(readPending, [eventIds]);
  return new Set(rows.map(({ id }) => id));
}
