import type { Sql, Transactions } from '../../database/sql.ts';

/**
 * Called with the ids of exhausted events, inside the transaction that ends their deliveries. It writes the
 * consequences, such as notifications, so that both commit or neither does.
 */
export type WhenExhausted = (sql: Sql, eventIds: string[]) => Promise<void>;

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the account is disabled for 7 days | `failed` if `delivery_status` was `pending` | `failed` if it was `pending` |
 * | the account is deleted | unchanged | `failed` if it was `pending` |
 *
 * Applies when an attempt finds that its account was disabled for 7 days, or deleted. Most events of a deleted account
 * end earlier: account-deleted.ts.
 *
 * An event is also exhausted when its last scheduled attempt fails. That is a row of attempt-recorded.ts, whose
 * statement records the attempt and ends the delivery together.
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
 * Ends the delivery of an event without an attempt: its account was deleted, or was disabled for too long. Destinations
 * are only notified of the latter.
 *
 * @returns whether this call ended the delivery. Of several calls, one does.
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
