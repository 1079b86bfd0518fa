import type { Sql } from '../../database/sql.ts';
import { lanes } from '../lanes.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the account is disabled or enabled | unchanged | unchanged |
 *
 * The next attempt of each waiting event finds the account disabled. Nothing is sent or counted. The account is checked
 * again at `next_attempt_at`.
 */
const holdEvent = {
  name: 'hold_event',
  text: `
    with e as (
      update events set held_since = coalesce(held_since, now()), next_attempt_at = $3
      where id = $1 and generation = $2 and delivery_status = 'pending'
      returning id
    )
    update event_queue q set lane = ${lanes.pendingStart}, lane_since = now(), claimed_until = null, claim_token = null
    from e where q.event_id = e.id and q.generation = $2 and q.claim_token = $4`,
};

/** Records that an event waits for its account to be enabled, and releases the relay's lease if there is one. */
export async function holdEventUntil(
  sql: Sql,
  hold: { eventId: string; generation: number; until: Date; claimToken: string | null },
): Promise<void> {
  await sql.query(holdEvent, [hold.eventId, hold.generation, hold.until, hold.claimToken]);
}
