import type { Sql } from '../../database/sql.ts';

/**
 * Events per transaction: about 0.1 s of work. Recording an attempt of one of these events waits for the transaction.
 */
const eventsABatch = 2_000;

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the account or the consumer is deleted | unchanged | `failed` if it was `pending` |
 *
 * Rows in `event_commands` notify the running workflows. No destination is notified. If an attempt finds its account
 * deleted before `stopEventsOf` and `stopNextEvents` have reached its event, the attempt ends the delivery: `stopEvent`.
 *
 * The statements: migrations/functions/stop_account_events.sql, and stop_next_account_events.sql for the remaining
 * events of large accounts.
 */
const stopEvents = { name: 'stop_account_events', text: 'select stop_account_events($1, $2) as stopped' };
const noteOwner = {
  name: 'note_stopped_account',
  text: 'insert into stopped_accounts (account_id) values ($1) on conflict do nothing',
};
const stopOne = {
  name: 'stop_event_of_deleted',
  text: `
    update events set delivery_status = 'failed', next_attempt_at = null,
      last_error = case when (select deleted_at from accounts a where a.id = events.account_id) is null
        and (select deleted_at from consumers c where c.id = events.consumer_id) is not null then 'consumer_deleted' else 'account_deleted' end
    where id = $1 and generation = $2 and delivery_status = 'pending'`,
};
const stopNext = { name: 'stop_next_account_events', text: 'select stop_next_account_events($1) as more' };

/**
 * Ends the deliveries of a deleted account or consumer and notifies the running workflows, inside the deletion's
 * transaction. It stops one batch; `stopNextEvents` stops the remaining events. Until then, each attempt finds its
 * account or consumer deleted and ends.
 *
 * @param ownerId the id of the account, or of a consumer other than `default`.
 */
export async function stopEventsOf(sql: Sql, ownerId: string): Promise<void> {
  const [row] = await sql.query<{ stopped: number }>(stopEvents, [ownerId, eventsABatch]);
  if (row?.stopped === eventsABatch) await sql.query(noteOwner, [ownerId]);
}

/**
 * Stops a batch of the remaining events of a deleted account or consumer.
 *
 * @returns whether more events may be left.
 */
export async function stopNextEvents(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ more: boolean }>(stopNext, [eventsABatch]);
  return row?.more === true;
}

/** Ends the delivery of an event without an attempt, because its account was deleted. */
export async function stopEvent(sql: Sql, event: { eventId: string; generation: number }): Promise<void> {
  await sql.query(stopOne, [event.eventId, event.generation]);
}
