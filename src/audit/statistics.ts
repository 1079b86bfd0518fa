import type { Sql } from '../database/sql.ts';

const readStatistics = {
  name: '',
  // Counts equal entries first, so that the other steps work on few groups.
  text: `
    with alike as materialized (
      select action, actor, ip_address, (created_at at time zone 'UTC')::date as day,
        count(*) as entries, min(created_at) as oldest, max(created_at) as newest,
        bool_or(action <> 'auth.denied' or details ->> 'status' = '403') as has_token
      from audit_logs group by 1, 2, 3, 4
    ), grouped as (
      select grouping(action, actor, ip_address, day) as kind, coalesce(action, actor, ip_address, to_char(day, 'YYYY-MM-DD')) as name,
        sum(entries)::double precision as entries, min(oldest) as oldest, max(newest) as newest, day,
        bool_or(has_token) as has_token
      from alike group by grouping sets ((), (action), (actor), (ip_address), (day))
    ), ranked as (
      select *, row_number() over (partition by kind order by day desc, has_token desc, entries desc, name) as place from grouped
    )
    select kind, name, entries, oldest, newest from ranked
    where place <= case kind when 14 then 400 else 100 end order by kind, place`,
};

/** The values of `grouping()` for each kind of group: one bit for every column that is not part of the group. */
const kinds = { total: 0b1111, action: 0b0111, actor: 0b1011, ip: 0b1101, day: 0b1110 };

/**
 * Counts all entries in one statement. Each map has the 100 largest groups, `by_day` the 400 newest days (UTC). Actors and
 * addresses that had a valid token come first, so that wrong tokens from many addresses do not push them out.
 */
export async function auditStatistics(sql: Sql) {
  const rows = await sql.query<{
    kind: number;
    name: string;
    entries: number;
    oldest: Date | null;
    newest: Date | null;
  }>(readStatistics, []);
  // An actor may have any name. `fromEntries` creates an ordinary field even for `__proto__`.
  const counts = (kind: number) =>
    Object.fromEntries(rows.filter((row) => row.kind === kind).map((row) => [row.name, row.entries]));
  const total = rows.find((row) => row.kind === kinds.total);
  return {
    total: total?.entries ?? 0,
    oldest: total?.oldest ?? null,
    newest: total?.newest ?? null,
    by_action: counts(kinds.action),
    by_actor: counts(kinds.actor),
    by_ip: counts(kinds.ip),
    by_day: counts(kinds.day),
  };
}
