import type { Sql } from '../../database/sql.ts';

/** Events that one transaction stops; whoever records an attempt of one of them waits for it, for a tenth of a second or so. */
const eventsABatch = 2_000;

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the account is deleted | unchanged | `failed` if it was `pending` |
 *
 * Running workflows are told by rows in `event_commands`. Nobody is notified. An attempt that finds its account deleted before this
 * statement came to its event ends the delivery itself: exhausted.ts.
 */
// migrations/functions/stop_account_events.sql, stop_next_account_events.sql
const stopEvents = { name: 'stop_account_events', text: 'select stop_account_events($1, $2) as stopped' };
const noteAccount = {
  name: 'note_stopped_account',
  text: 'insert into stopped_accounts (account_id) values ($1) on conflict do nothing',
};
const stopNext = { name: 'stop_next_account_events', text: 'select stop_next_account_events($1) as more' };

/**
 * What a deleted account leaves waiting stops, and its running workflows are told; inside the deletion's transaction. Of more
 * events than a batch the rest is left to `stopNextEvents`; until then each attempt finds its account gone and ends.
 */
export async function stopAccount(sql: Sql, accountId: string): Promise<void> {
  const [row] = await sql.query<{ stopped: number }>(stopEvents, [accountId, eventsABatch]);
  if (row?.stopped === eventsABatch) await sql.query(noteAccount, [accountId]);
}

/**
 * Stops some of the events that a deleted account has left.
 *
 * @returns whether there may be more.
 */
export async function stopNextEvents(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ more: boolean }>(stopNext, [eventsABatch]);
  return row?.more === true;
}
