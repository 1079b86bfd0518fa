import type { Sql } from '../database/sql.ts';
import { dayMs, uuidFloor, uuidMs } from '../database/uuid-time.ts';

/** A range of event ids: `low` is inclusive, `high` exclusive. */
export interface Window {
  low: string;
  high: string;
}

/**
 * The lengths of the windows in days, newest first; the last one repeats. Most pages are full after a day or two. A
 * window of 32 days needs a few hundred locks of the server and a few milliseconds of planning. Each table and each
 * index needs a lock, and the server reserves 64 locks per connection by default.
 */
const daysOfWindows = [1, 4, 16, 32];

// Cheap: one index lookup at each end of event_stats, and event_stat_deltas is small.
const findSpan = {
  name: '',
  text: `
    select least((select min(hour) from event_stats where stored > 0), (select min(hour) from event_stat_deltas where stored > 0)) as first,
      greatest((select max(hour) from event_stats where stored > 0), (select max(hour) from event_stat_deltas where stored > 0)) as last`,
};

const findDays = {
  name: '',
  text: `
    select (v.day::timestamp at time zone 'UTC') as day from unnest($1::text[], $2::text[]) as wanted (kind, value)
    join event_values v on v.value = wanted.value and v.kind = any(case wanted.kind when 'event_type' then array['event_type', 'rejected_event_type'] else array[wanted.kind] end)
    group by v.day having count(distinct wanted.kind) = cardinality($1::text[]) order by v.day`,
};

/** The filters for which `event_values` records the days that have matching events. */
export type KnownValues = Partial<Record<'app_key' | 'provider' | 'account_slug' | 'event_type', string | undefined>>;

/**
 * Divides the time for which there are events into windows, newest first. A statement about one window names its
 * bounds, so PostgreSQL plans and locks only the partitions of those days. Days without the filter's values are cut off
 * at both ends of each window.
 *
 * @param limits events received after `since` and before `until` (both exclusive), and older than the event `before`.
 */
export async function windowsBack(
  sql: Sql,
  limits: { since?: Date | undefined; until?: Date | undefined; before?: string | undefined } & KnownValues = {},
): Promise<Window[]> {
  const { since, until, before } = limits;
  const days = await daysOf(sql, limits);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  // A UUIDv7 contains the event's time in milliseconds, so a time can be used as a bound of ids.
  const fromMs = Math.max(first, since ? since.getTime() : 0);
  const endMs = Math.min(last + dayMs, until ? until.getTime() : Number.POSITIVE_INFINITY);
  return cut(fromMs, endMs).flatMap(([lowMs, highMs]) => {
    const inside = days.filter((day) => day + dayMs > lowMs && day < highMs);
    const [firstInside, lastInside] = [inside[0], inside.at(-1)];
    if (firstInside === undefined || lastInside === undefined) return [];
    const low = uuidFloor(new Date(Math.max(lowMs, firstInside)));
    const end = uuidFloor(new Date(Math.min(highMs, lastInside + dayMs)));
    const high = before !== undefined && before < end ? before : end;
    return low < high ? [{ low, high }] : [];
  });
}

/** The days that may have matching events, as their midnights (UTC) in ms, oldest first. */
async function daysOf(sql: Sql, { app_key, provider, account_slug, event_type }: KnownValues): Promise<number[]> {
  const wanted = Object.entries({ app_key, provider, account_slug, event_type }).filter(
    ([, value]) => value !== undefined,
  );
  if (wanted.length > 0) {
    const rows = await sql.query<{ day: Date }>(findDays, [
      wanted.map(([kind]) => kind),
      wanted.map(([, value]) => value),
    ]);
    return rows.map(({ day }) => day.getTime());
  }
  const [span] = await sql.query<{ first: Date | null; last: Date | null }>(findSpan, []);
  if (!span?.first || !span.last) return [];
  const days: number[] = [];
  for (let day = dayOf(span.first.getTime()); day <= span.last.getTime(); day += dayMs) days.push(day);
  return days;
}

/** The days of a window, newest first: a statement about one day is short, so that a limit of time is kept. */
export function daysBack({ low, high: end }: Window): Window[] {
  const days: Window[] = [];
  for (let high = end; high > low; ) {
    const day = uuidFloor(new Date(uuidMs(high) - dayMs));
    const begin = day > low ? day : low;
    days.push({ low: begin, high });
    high = begin;
  }
  return days;
}

const dayOf = (atMs: number) => Math.floor(atMs / dayMs) * dayMs;

/** Divides the time from `firstMs` to `endMs` into spans that begin at midnight, newest first. */
function cut(firstMs: number, endMs: number): [lowMs: number, highMs: number][] {
  const spans: [number, number][] = [];
  for (let highMs = endMs, n = 0; highMs > firstMs; n++) {
    const days = daysOfWindows[Math.min(n, daysOfWindows.length - 1)] ?? 1;
    const lowMs = Math.max(firstMs, dayOf(highMs - 1) - (days - 1) * dayMs);
    spans.push([lowMs, highMs]);
    highMs = lowMs;
  }
  return spans;
}
