import pg from 'pg';
import { neverStarted } from '../events/event.ts';
import { feedEpochKey } from '../events/feed/feed-state.ts';
import { lanes } from '../events/lanes.ts';

/** The numbers of events that a restored gateway still has to deliver. */
export interface Settled {
  /** Events that will be delivered once deliveries are resumed. */
  pending: number;
  /** The pending events whose workflow will be started again. */
  requeued: number;
}

// The processes that held claims or leases do not exist any more. Starts wait from now on, not since before the backup.
const dropClaims = 'update event_queue set claimed_until = null, claim_token = null, lane_since = now()';
const dropCommandClaims = 'update event_commands set claimed_until = null, claim_token = null';
// A pending event without a row in the queue had a workflow, in a Temporal cluster that may be gone. The start reveals
// whether it still runs. The new workflow continues after the attempts in the event's row.
const requeue = `
  with orphans as (
    update events e set started_generation = ${neverStarted}, run_id = null, swept_at = null
    where e.delivery_status = 'pending' and not exists (select from event_queue q where q.event_id = e.id)
    returning e.id, coalesce(e.consumer_id, e.account_id) as account_id, e.generation
  )
  insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, ${lanes.pendingStart} from orphans`;
// An operator decides again what to change, after looking at what was restored. Guarded, because a backup of an older
// version has no such table: it is restored into that version's schema, which is migrated afterwards.
const stopBulkJobs = `
  do $stop$ begin
    if to_regclass('bulk_jobs') is not null then
      update bulk_jobs set state = 'stopping', reason = 'restored', next_batch_at = now(), lease_token = null, lease_until = null
      where ended_at is null;
    end if;
  end $stop$`;
const countPending = `select count(*)::integer as n from events where delivery_status = 'pending'`;
// Cursors of the feed are of before the restore, and what they stand after may be gone.
const endCursors = `
  insert into gateway_settings (key, value) values ('${feedEpochKey}', convert_to(gen_random_uuid()::text, 'UTF8'))
  on conflict (key) do update set value = excluded.value`;
/** Writes a pause in the form of src/events/pause.ts. @param reason as SQL; an earlier pause's reason is appended. */
const writePause = (reason: string) => `
  insert into gateway_settings as s (key, value) values ('delivery_paused', ${pauseOf(reason)})
  on conflict (key) do update set
    value = ${pauseOf(`${reason} || '; paused before: ' || (convert_from(s.value, 'UTF8')::json ->> 'reason')`)}`;
const pauseOf = (reason: string) =>
  `convert_to(json_build_object('since', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', ${reason})::text, 'UTF8')`;

/**
 * Prepares restored events for new workers: releases all claims, stops bulk jobs, ends the cursors of the feed, and queues
 * each pending event without a queue row for a new workflow. Other events stay unchanged.
 */
export async function settleEvents(client: pg.ClientBase): Promise<Settled> {
  await client.query(dropClaims);
  await client.query(dropCommandClaims);
  await client.query(stopBulkJobs);
  await client.query(endCursors);
  const { rowCount } = await client.query(requeue);
  const { rows } = await client.query<{ n: number }>(countPending);
  return { pending: rows[0]?.n ?? 0, requeued: rowCount ?? 0 };
}

/** Pauses deliveries (src/events/pause.ts), so that an operator can check the restored state before resuming them. */
export async function pauseRestored(client: pg.ClientBase, reason: string): Promise<void> {
  await client.query(writePause('$1::text'), [reason]);
}

/** The statements of `settleEvents` and `pauseRestored` on one line each, for loading an archive with psql. */
export const settleStatements = (reason: string) =>
  [dropClaims, dropCommandClaims, stopBulkJobs, endCursors, requeue, writePause(pg.escapeLiteral(reason))].map(
    (text) => `${text.trim().replaceAll(/\s*\n\s*/g, ' ')};`,
  );
