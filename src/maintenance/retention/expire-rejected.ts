import type { Database } from '../../database/database.ts';
import { partitionDays, partitionName } from '../../database/partitions.ts';
import type { Sql } from '../../database/sql.ts';
import { isoDay } from '../../database/uuid-time.ts';
import { boundedTransaction } from './bounded.ts';

/** Events in one transaction. It takes a few milliseconds, in which an operator's call about one of them waits. */
const eventsAtOnce = 500;

const counted = (column: string) =>
  `(select hour, ${column} from event_stats union all select hour, ${column} from event_stat_deltas)`;

const findDays = {
  name: 'find_days_of_rejected',
  text: `
    select date_trunc('day', hour, 'UTC') as day from ${counted('rejected_state')} s
    where hour < $1 group by 1 having sum(rejected_state) > 0 order by 1`,
};

/**
 * Deletes the rejected events of the days (UTC) before `before`, with their payloads and statistics. An event that an
 * operator has acked or failed is no longer `rejected` and is kept.
 *
 * @param before a midnight
 * @param signal ends the function before the next transaction; its reason is thrown
 * @returns the number of deleted events.
 */
export async function expireRejected(database: Database, before: Date, signal?: AbortSignal): Promise<number> {
  let expired = 0;
  const existing = new Set((await partitionDays(database)).map((day) => day.getTime()));
  for (const { day } of await database.query<{ day: Date }>(findDays, [before])) {
    if (!existing.has(day.getTime())) continue;
    for (let deleted = eventsAtOnce; deleted === eventsAtOnce; expired += deleted) {
      signal?.throwIfAborted();
      deleted = await deleteSome(database, day);
    }
  }
  return expired;
}

/** Deletes some events. It names the day's own partitions, because a statement on the parent would lock all of them. */
async function deleteSome(database: Database, day: Date): Promise<number> {
  const [events, payloads] = [partitionName('events', day), partitionName('event_payloads', day)];
  return boundedTransaction(database, async (sql) => {
    // The day was dropped after the days were listed.
    const [table] = await sql.query<{ found: boolean }>(isThere, [events]);
    if (table?.found !== true) return 0;
    // Locks and deletes in two statements: see migrations/functions/lock_events.sql.
    const rows = await sql.query<{ id: string }>(
      {
        name: '',
        text: `select id from ${events} where state = 'rejected' order by id limit ${eventsAtOnce} for update skip locked`,
      },
      [],
    );
    const ids = rows.map(({ id }) => id);
    await sql.query({ name: '', text: `delete from ${payloads} where event_id = any($1)` }, [ids]);
    await sql.query({ name: '', text: deleteCounted(events) }, [ids]);
    if (ids.length < eventsAtOnce) await forgetValues(sql, day, events);
    return ids.length;
  });
}

const isThere = { name: 'is_table_there', text: 'select to_regclass($1) is not null as found' };

const deleteCounted = (events: string) => `
  with gone as (
    delete from ${events} where id = any($1) returning received_at, provider
  )
  insert into event_stat_deltas (hour, provider, stored, rejected, rejected_state)
  select start_of_hour(received_at), provider, -count(*), -count(*), -count(*) from gone group by 1, 2`;

/**
 * Deletes the filter values that no event of the day has any more. The event types of rejected events are deleted only
 * when the day has no such event left. Remaining types of the few acked ones do no harm.
 */
async function forgetValues(sql: Sql, day: Date, events: string): Promise<void> {
  const kinds = ['provider', 'app_key', 'account_slug'].map(
    (kind) => `when '${kind}' then not exists (select 1 from ${events} e where e.${kind} = v.value)`,
  );
  const text = `
    delete from event_values v where v.day = $2::date and case v.kind ${kinds.join(' ')}
      when 'rejected_event_type' then (
        select coalesce(sum(rejected), 0) = 0 from ${counted('rejected')} s where hour >= $1 and hour < $1::timestamptz + interval '24 hours')
      else false end`;
  await sql.query({ name: '', text }, [day, isoDay(day)]);
}
