import pg from 'pg';
import { neverStarted } from '../events/event.ts';
import { lanes } from '../events/lanes.ts';

/** What a restored gateway has to do with the events of its backup. */
export interface Settled {
  /** Events that are to be delivered once deliveries are resumed. */
  pending: number;
  /** Those of them whose workflow is started again. */
  requeued: number;
}

// Whoever held a claim or a lease is not here.
const dropClaims = 'update event_queue set claimed_until = null, claim_token = null, direct = false';
const dropCommandClaims = 'update event_commands set claimed_until = null, claim_token = null';
// A pending event without a place in the queue had a workflow, in a Temporal that may be gone. Whether it still runs is
// found out when it is started, from the attempts that the row says were made.
const requeue = `
  with orphans as (
    update events e set started_generation = ${neverStarted}, run_id = null, swept_at = null
    where e.delivery_status = 'pending' and not exists (select from event_queue q where q.event_id = e.id)
    returning e.id, e.account_id, e.generation
  )
  insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, ${lanes.pendingStart} from orphans`;
const countPending = `select count(*)::integer as n from events where delivery_status = 'pending'`;
/** @param reason as SQL. That of an earlier pause stays behind it. As `Pause` is written (src/events/pause.ts). */
const writePause = (reason: string) => `
  insert into gateway_settings as s (key, value) values ('delivery_paused', ${pauseOf(reason)})
  on conflict (key) do update set
    value = ${pauseOf(`${reason} || '; paused before: ' || (convert_from(s.value, 'UTF8')::json ->> 'reason')`)}`;
const pauseOf = (reason: string) =>
  `convert_to(json_build_object('since', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', ${reason})::text, 'UTF8')`;

/**
 * Makes what was restored ready for workers that know nothing of it: nobody holds a claim, and each pending event without a
 * workflow is queued for one. Events that are settled are left as they are.
 */
export async function settleEvents(client: pg.ClientBase): Promise<Settled> {
  await client.query(dropClaims);
  await client.query(dropCommandClaims);
  const { rowCount } = await client.query(requeue);
  const { rows } = await client.query<{ n: number }>(countPending);
  return { pending: rows[0]?.n ?? 0, requeued: rowCount ?? 0 };
}

/** Pauses deliveries (src/events/pause.ts): an operator looks first, and then resumes them. */
export async function pauseRestored(client: pg.ClientBase, reason: string): Promise<void> {
  await client.query(writePause('$1::text'), [reason]);
}

/** What `settleEvents` and `pauseRestored` do, for whoever loads an archive with psql: a line each. */
export const settleStatements = (reason: string) =>
  [dropClaims, dropCommandClaims, requeue, writePause(pg.escapeLiteral(reason))].map(
    (text) => `${text.trim().replaceAll(/\s*\n\s*/g, ' ')};`,
  );
