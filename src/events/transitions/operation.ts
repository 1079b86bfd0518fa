import type { Sql, Statement } from '../../database/sql.ts';
import type { EventRow } from '../event.ts';
import { lanes } from '../lanes.ts';
import { isPaused } from '../pause.ts';

/** Why an operator's command did not apply. */
type Refusal =
  | 'not_found'
  | 'event_rejected'
  | 'event_skipped'
  | 'event_dead'
  | 'account_deleted'
  | 'consumer_deleted'
  | 'account_disabled'
  | 'consumer_disabled'
  | 'delivery_paused'
  | 'consumer_paused';
export type Operation = { ok: true; event: EventRow } | { ok: false; reason: Refusal };

/**
 * What an operation needs besides an event:
 *
 * - `any`: that a consumer gets its webhook
 * - `needs_account`: also that the event is not rejected, and that neither its account nor its consumer is deleted
 * - `needs_sending_now`: also that the event is not dead, that account and consumer are enabled, and that nothing pauses its
 *   delivery
 */
export type Guard = 'any' | 'needs_account' | 'needs_sending_now';

const whyNot = {
  name: 'why_event_refused',
  text: `select e.rejection_reason, e.skipped_reason, e.status, a.deleted_at is not null as account_deleted, a.enabled as account_enabled,
           coalesce(c.deleted_at is not null, false) as consumer_deleted, coalesce(c.enabled, true) as consumer_enabled,
           ${isPaused} as paused, a.paused_since is not null or c.paused_since is not null as consumer_paused
         from events e join accounts a on a.id = e.account_id left join consumers c on c.id = coalesce(e.consumer_id, a.id) where e.id = $1`,
};

/**
 * A part of a statement with the event $1 in `before` and `e`: an event that waits in the queue for an attempt, perhaps for
 * the end of a pause, waits for none any more once its delivery has ended. It goes on with the settled ones. One that a
 * process has claimed is handed back to them (migrations/functions/hand_back_claims.sql).
 */
export const settleQueued = `
    update event_queue set lane = ${lanes.settledStart}, direct = false, lane_since = now()
    where event_id = $1 and lane <> ${lanes.settledStart} and (claim_token is null or claimed_until <= now())
      and exists (select from e join before b on b.id = e.id where b.delivery_status = 'pending' and e.delivery_status <> 'pending')`;

/** Replays those of the given events that have a noted replay: migrations/functions/apply_replays.sql. */
export const applyReplays = { name: 'apply_replays', text: 'select apply_replays($1)' };

// Notes of replays are locked before events: migrations/functions/apply_replays.sql.
const begin = {
  name: 'begin_operation',
  text: 'select apply_replays(array[$1::uuid]), lock_events(array[$1::uuid], $1::uuid, $1::uuid)',
};

/**
 * Applies the noted replay of an event, and locks the event. The next statement then sees all that others have committed. One
 * that waits for the event itself sees its new row, but neither rows of the queue nor attempts that were inserted during the wait.
 *
 * @param sql must be in a transaction.
 */
export async function beginOperation(sql: Sql, eventId: string): Promise<void> {
  await sql.query(begin, [eventId]);
}

/**
 * Applies an operator's command, or returns why it does not apply.
 *
 * @param sql must be in a transaction (`beginOperation`).
 * @param statement must check the conditions of `guard` itself. It returns the event's row, or no row.
 */
export function apply(
  sql: Sql,
  statement: Statement,
  values: [eventId: string, ...rest: unknown[]],
  guard: Guard,
): Promise<Operation> {
  return applied(sql, values[0], guard, async () => (await sql.query<EventRow>(statement, values))[0]);
}

/** Like `apply`, for a command that needs more than one statement. */
export async function applied(
  sql: Sql,
  eventId: string,
  guard: Guard,
  change: () => Promise<EventRow | undefined>,
): Promise<Operation> {
  // A replay that was requested earlier must be applied before this command.
  await beginOperation(sql, eventId);
  for (;;) {
    const event = await change();
    if (event) return { ok: true, event };
    const reason = await refusal(sql, eventId, guard);
    if (reason !== null) return { ok: false, reason };
    // The reason no longer holds, for example because a dead event was revived. So try again.
  }
}

async function refusal(sql: Sql, eventId: string, guard: Guard): Promise<Refusal | null> {
  const [row] = await sql.query<{
    rejection_reason: string | null;
    skipped_reason: string | null;
    status: string;
    account_deleted: boolean;
    account_enabled: boolean;
    consumer_deleted: boolean;
    consumer_enabled: boolean;
    paused: boolean;
    consumer_paused: boolean;
  }>(whyNot, [eventId]);
  if (!row) return 'not_found';
  if (row.skipped_reason !== null) return 'event_skipped';
  if (guard === 'any') return null;
  if (row.rejection_reason !== null) return 'event_rejected';
  if (row.account_deleted) return 'account_deleted';
  if (row.consumer_deleted) return 'consumer_deleted';
  if (guard === 'needs_account') return null;
  if (row.status === 'dead') return 'event_dead';
  if (!row.account_enabled) return 'account_disabled';
  if (!row.consumer_enabled) return 'consumer_disabled';
  if (row.paused) return 'delivery_paused';
  return row.consumer_paused ? 'consumer_paused' : null;
}
