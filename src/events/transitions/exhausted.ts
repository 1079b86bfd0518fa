import type { Sql, Transactions } from '../../database/sql.ts';

/**
 * Called inside the transaction in which deliveries fail for good, with the ids of their events: what has to follow is noted
 * there, such as notifications, or the deliveries have not failed.
 */
export type WhenExhausted = (sql: Sql, eventIds: string[]) => Promise<void>;

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the account is disabled for 7 days | `failed` if `delivery_status` was `pending` | `failed` if it was `pending` |
 * | the account is deleted | unchanged | `failed` if it was `pending` |
 *
 * An attempt finds the account disabled for so long, or deleted. Most events of a deleted account end earlier: account-deleted.ts.
 *
 * The other way to be exhausted, the failure of the last scheduled attempt, is a row of attempt-recorded.ts, whose statement
 * records the attempt and ends the delivery at once.
 */
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
