import { dailyTables, partitionName } from '../../database/partitions.ts';
import type { Sql } from '../../database/sql.ts';
import { dayMs, uuidFloor } from '../../database/uuid-time.ts';
import { longestDedupWindowS } from '../../providers/dedup-window.ts';

const findPartitions = {
  name: 'find_partitions',
  text: 'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
};

/** The existing partitions of a day. Some are missing only if someone has dropped them by hand. */
export async function partitionsOf(sql: Sql, day: Date): Promise<Set<string>> {
  const names = dailyTables.map((table) => partitionName(table, day));
  const rows = await sql.query<{ name: string }>(findPartitions, [names]);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Whether an event of a day still has work to do: it is pending, queued or to be replayed, or it has an open command or
 * message. Every pending event is queued or has a next attempt, so indexes are enough for a fast result.
 */
export async function hasWork(sql: Sql, day: Date, partitions: ReadonlySet<string>): Promise<boolean> {
  const [low, high] = [uuidFloor(day), uuidFloor(new Date(day.getTime() + dayMs))];
  const isOfDay = `event_id >= $1 and event_id < $2`;
  const queries = [
    `select 1 from event_queue where ${isOfDay}`,
    `select 1 from event_replays where ${isOfDay}`,
    `select 1 from event_commands where ${isOfDay}`,
    `select 1 from notification_summaries where status = 'pending' and first_received_at < $4 and last_received_at >= $3`,
  ];
  const [events, notifications] = ['events', 'notifications'].map((table) => partitionName(table, day));
  if (events !== undefined && partitions.has(events)) queries.push(`select 1 from ${events} where due_at is not null`);
  if (notifications !== undefined && partitions.has(notifications))
    queries.push(`select 1 from ${notifications} where status = 'pending'`);
  const text = `select ${queries.map((query) => `exists (${query})`).join(' or ')} as found`;
  const [row] = await sql.query<{ found: boolean }>({ name: '', text }, [
    ...[low, high],
    ...[day, new Date(day.getTime() + dayMs)],
  ]);
  return row?.found === true;
}

/** Days after its end in which a day can have deduplication keys; whole days leave hours for clocks that are wrong. */
const daysWithKeys = Math.ceil((longestDedupWindowS * 1000) / dayMs);

// An index by event would slow down each webhook. Without one, the whole table is read, as the expiry of its rows does
// too. `and` skips that for days without keys.
const findKey = {
  name: 'find_dedup_key_of_day',
  text: `
    select now() < $3::timestamptz and exists (
      select 1 from event_dedup where event_id >= $1 and event_id < $2 and expires_at > now()
    ) as found`,
};

/** Whether a webhook that is received now can be a duplicate of an event of a day. */
export async function hasDedupKey(sql: Sql, day: Date): Promise<boolean> {
  const endMs = day.getTime() + dayMs;
  const [row] = await sql.query<{ found: boolean }>(findKey, [
    ...[uuidFloor(day), uuidFloor(new Date(endMs))],
    new Date(endMs + daysWithKeys * dayMs),
  ]);
  return row?.found === true;
}
