import type { Sql, Transactions } from '../database/sql.ts';
import type { WhenExhausted } from './when-exhausted.ts';

// An event of a disabled account waits without an attempt; nothing here counts one.
const holdEvent = {
  name: 'hold_event',
  text: `
    with e as (
      update events set held_since = coalesce(held_since, now()), next_attempt_at = $3
      where id = $1 and generation = $2 and delivery_status = 'pending'
      returning id
    )
    update event_queue q set lane = 1, direct = false, claimed_until = null, claim_token = null
    from e where q.event_id = e.id and q.generation = $2 and q.claim_token = $4`,
};

/** Notes that an event waits for its account to be enabled again, and hands the relay's lease back if there is one. */
export async function holdEventUntil(
  sql: Sql,
  hold: { eventId: string; generation: number; until: Date; claimToken: string | null },
): Promise<void> {
  await sql.query(holdEvent, [hold.eventId, hold.generation, hold.until, hold.claimToken]);
}

const giveUpEvent = {
  name: 'give_up_event',
  text: `
    update events set delivery_status = 'failed', last_error = $3, next_attempt_at = null,
      status = case when $3 <> 'account_deleted' and status not in ('processed', 'dead') then 'failed' else status end
    where id = $1 and generation = $2 and delivery_status = 'pending'
    returning id`,
};

/**
 * Ends the delivery of an event without an attempt: its account is gone, or was disabled for too long. Only the latter is
 * something that destinations are told of.
 *
 * @returns whether this call ended it, so that what follows from the end happens once.
 */
export async function giveUp(
  database: Transactions,
  event: { eventId: string; generation: number; reason: 'account_deleted' | 'account_disabled' },
  whenExhausted: WhenExhausted,
): Promise<boolean> {
  return database.transaction(async (sql) => {
    const rows = await sql.query(giveUpEvent, [event.eventId, event.generation, event.reason]);
    if (rows.length > 0 && event.reason === 'account_disabled') await whenExhausted(sql, [event.eventId]);
    return rows.length > 0;
  });
}
