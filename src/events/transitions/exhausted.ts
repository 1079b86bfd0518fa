import type { Sql, Transactions } from '../../database/sql.ts';
import { lanes } from '../lanes.ts';
import { isPaused } from '../pause.ts';
import { isAmong, lowestId, ofConsumer } from '../queue.ts';

/**
 * Called with the ids of exhausted events, inside the transaction that ends their deliveries. It writes the
 * consequences, such as notifications, so that both commit or neither does.
 */
export interface WhenExhausted {
  (sql: Sql, eventIds: string[]): Promise<void>;
  /** Called before a transaction that may exhaust these events, for slow work that should hold no locks. */
  prepare?(sql: Sql, eventIds: string[]): Promise<void>;
}

/** How long an event waits for its account or consumer to be enabled. */
export const disabledLimitS = 7 * 24 * 60 * 60;

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the account or the consumer is disabled for 7 days | `failed` if `delivery_status` was `pending` | `failed` if it was `pending` |
 *
 * The days count from when the event was due, and from the last change of what is disabled, so that one on which somebody works
 * keeps its events. They begin again after a pause, of all deliveries or of the account or consumer, and nothing is exhausted
 * during one. Only disabled accounts and consumers are looked at, so it costs nothing where there are none.
 *
 * An event is also exhausted when its last scheduled attempt fails. That is a row of attempt-recorded.ts, whose
 * statement records the attempt and ends the delivery together.
 */
const exhaustDisabled = {
  name: 'exhaust_events_of_disabled',
  text: `
    with disabled as (
      select id, id as account_id, 'account_disabled' as reason from accounts
      where not enabled and deleted_at is null and paused_since is null
        and not exists (select from consumers c where c.id = accounts.id and c.paused_since is not null) and updated_at < now() - make_interval(secs => $1)
      union all
      select c.id, c.account_id, 'account_disabled' from consumers c join accounts a on a.id = c.account_id
      where not a.enabled and a.deleted_at is null and a.paused_since is null and c.paused_since is null
        and a.updated_at < now() - make_interval(secs => $1) and c.id <> a.id
      union all
      select c.id, c.account_id, 'consumer_disabled' from consumers c join accounts a on a.id = c.account_id
      where not c.enabled and c.deleted_at is null and c.paused_since is null and a.paused_since is null
        and c.updated_at < now() - make_interval(secs => $1) and a.enabled and a.deleted_at is null
    ), resumed as materialized (
      select account_id, consumer_id from pauses where ended_at > now() - make_interval(secs => $1)
    ), expired as (
      select q.event_id, q.generation, d.reason, (select e.delivery_status from events e where e.id = q.event_id) as delivery_status
      from disabled d cross join lateral (
        select q.event_id, q.generation from event_queue q
        where not ${isPaused} and q.lane in (${lanes.firstAttempt}, ${lanes.pendingStart}) and ${ofConsumer('d.id', `'${lowestId}'::uuid`)}
          and q.lane_since < now() - make_interval(secs => $1) and (q.claimed_until is null or q.claimed_until <= now())
        limit $2
      ) q
      where (
        select true from resumed r
        where r.account_id is null or r.account_id = d.account_id and (r.consumer_id is null or r.consumer_id = d.id) limit 1
      ) is null
      limit $2
    ), ended as (
      update events e set delivery_status = 'failed', last_error = x.reason, next_attempt_at = null,
        status = case when status not in ('processed', 'dead') then 'failed' else status end
      from expired x where ${isAmong('e.id', 'select event_id from expired')}
        and e.id = x.event_id and e.generation = x.generation and e.delivery_status = 'pending'
      returning e.id
    ), moved as (
      -- An event that an operator has ended waits there, too. Its workflow sends the notifications.
      update event_queue q set lane = ${lanes.settledStart}, lane_since = now() from expired x
      where ${isAmong('q.event_id', 'select event_id from expired')} and q.event_id = x.event_id and q.generation = x.generation
        and (${isAmong('x.event_id', 'select id from ended')} or x.delivery_status is distinct from 'pending')
    )
    select (select count(*) from expired)::integer as seen, (select array_agg(id) from ended) as ids`,
};

/**
 * Exhausts events whose account or consumer has been disabled for `disabledLimitS`. Destinations are notified.
 *
 * @returns how many, and whether more may be left.
 */
export async function exhaustDisabledEvents(
  database: Transactions,
  limit: number,
  whenExhausted: WhenExhausted,
): Promise<{ exhausted: number; more: boolean }> {
  return database.transaction(async (sql) => {
    const values = [disabledLimitS, limit];
    const [row] = await sql.query<{ seen: number; ids: string[] | null }>(exhaustDisabled, values);
    const ids = row?.ids ?? [];
    if (ids.length > 0) await whenExhausted(sql, ids);
    return { exhausted: ids.length, more: row?.seen === limit };
  });
}
