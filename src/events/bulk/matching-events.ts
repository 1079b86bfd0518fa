import { isCanceled } from '../../database/errors.ts';
import type { Sql } from '../../database/sql.ts';
import { dayMs, uuidFloor, uuidMs } from '../../database/uuid-time.ts';
import type { ListFilters } from '../event-filters.ts';
import { countMatches, listEvents, type Matching, matchingOf } from '../list.ts';
import { type Closed, namesClosed } from '../state-filter.ts';
import { daysBack, type KnownValues, type Window, windowsBack } from '../windows.ts';
import { nextSliceMs, shorterSliceMs } from './slices.ts';

/** Days that a batch changes: each locks a dozen tables and indexes, and PostgreSQL's room for locks is shared by all. */
export const batchDays = 32;

/** Where a walk over matching events is. */
export interface Place {
  /** The lowest id that was not looked at yet. */
  next: string;
  /** The last id of the walk. */
  last: string;
  sliceMs: number;
}

/** The next matching events, oldest first, and where to continue. */
export interface Matches {
  ids: string[];
  place: Place;
  /** Whether the walk has ended. */
  end: boolean;
}

/**
 * What is over for a person stays over: a filter that names neither a status nor a state leaves out the events that were
 * acknowledged or declared dead.
 */
const wantedOf = (filter: ListFilters): Closed => (namesClosed(filter) ? 'as_others' : 'left_out');

/** The newest event; null if there is none. It bounds the events of a job that is ordered now. */
export async function newestEvent(sql: Sql): Promise<string | null> {
  const [newest] = await listEvents(sql, { limit: 1, offset: 0 });
  return newest?.id ?? null;
}

/**
 * Finds the next matching events, oldest first. It reads slice by slice of the time of receipt, each by the list's
 * indexes. It ends when it has `limits.most` events, or after `limits.timeMs`, so that a filter with few matches makes
 * progress too: the place moves on over the slices without a match. Events that a person has closed are left out
 * (`wantedOf`).
 *
 * Oldest first, because consumers prefer the order of receipt, and because all batches of statements lock events in the
 * order of their ids, so that they never deadlock.
 *
 * @param sql plans each statement for its values (`database.reader`), and cancels a statement after a few seconds.
 */
export async function nextMatches(
  sql: Sql,
  filter: ListFilters,
  from: Place,
  limits: { most: number; timeMs: number },
): Promise<Matches> {
  return nextOf(sql, await matchingOf(sql, filter, wantedOf(filter)), filter, from, limits);
}

/**
 * As `nextMatches`, for events of any source.
 *
 * @param bounds the times of receipt, and values that all of the events have
 */
export async function nextOf(
  sql: Sql,
  matching: Matching,
  bounds: Pick<ListFilters, 'since' | 'until'> & KnownValues,
  from: Place,
  limits: { most: number; timeMs: number },
): Promise<Matches> {
  const endMs = performance.now() + limits.timeMs;
  const place = { ...from };
  const ids: string[] = [];
  const windows = await windowsBack(sql, { ...bounds, before: idAfter(from.last) });
  for (const window of windows.reverse()) {
    if (window.low > place.next) place.next = window.low;
    while (place.next < window.high) {
      const slice = { low: place.next, high: endOfSlice(place, window.high) };
      const beganMs = performance.now();
      const found = await readIds(sql, matching, slice, limits.most - ids.length);
      if (found === 'too_slow') {
        // Without progress, so that the caller stores the shorter slice and tries again.
        place.sliceMs = shorterSliceMs(place.sliceMs);
        return { ids, place, end: false };
      }
      ids.push(...found);
      const last = ids.at(-1);
      if (last !== undefined && ids.length >= limits.most) {
        place.next = idAfter(last);
        return { ids, place, end: false };
      }
      place.next = slice.high;
      place.sliceMs = nextSliceMs(place.sliceMs, performance.now() - beganMs);
      // After a slice, so that each call makes progress.
      if (performance.now() >= endMs) return { ids, place, end: false };
    }
  }
  return { ids, place: { ...place, next: idAfter(from.last) }, end: true };
}

/** Leaves events of too many days to the next batch. */
export function withinDays({ ids, place, end }: Matches): Matches {
  const [first = ''] = ids;
  const kept = ids.filter((id) => uuidMs(id) - uuidMs(first) <= batchDays * dayMs);
  const left = ids[kept.length];
  return left === undefined ? { ids, place, end } : { ids: kept, place: { ...place, next: left }, end: false };
}

function endOfSlice({ next, sliceMs }: Place, high: string): string {
  const end = uuidFloor(new Date(uuidMs(next) + sliceMs));
  return end < high ? end : high;
}

async function readIds(
  sql: Sql,
  { sources, values }: Matching,
  slice: Window,
  most: number,
): Promise<string[] | 'too_slow'> {
  const limit = `$${values.length + 3}`;
  const each = sources.map((source) => `(select e.id ${source} order by e.id limit ${limit})`);
  const text = `select id from (${each.join(' union ')}) found order by id limit ${limit}`;
  try {
    const rows = await sql.query<{ id: string }>({ name: '', text }, [slice.low, slice.high, ...values, most]);
    return rows.map(({ id }) => id);
  } catch (error) {
    if (isCanceled(error)) return 'too_slow';
    throw error;
  }
}

/**
 * Which of some events match now, without those that `nextMatches` leaves out. In a transaction that has locked them, they keep matching until its end.
 *
 * @param ids sorted
 */
export async function stillMatching(sql: Sql, filter: ListFilters, ids: readonly string[]): Promise<Set<string>> {
  const [low, high] = [ids[0], ids.at(-1)];
  if (low === undefined || high === undefined) return new Set();
  const { sources, values } = await matchingOf(sql, filter, wantedOf(filter));
  const wanted = `$${values.length + 3}::uuid[]`;
  const text = sources.map((source) => `(select e.id ${source} and e.id = any(${wanted}))`).join(' union ');
  const rows = await sql.query<{ id: string }>({ name: '', text }, [low, idAfter(high), ...values, ids]);
  return new Set(rows.map(({ id }) => id));
}

/** Events that are counted at most: an operator who confirms more does not need the exact number. */
export const mostCounted = 100_000;

/**
 * Counts the events that `nextMatches` finds, for at most about `timeMs`.
 *
 * @returns `exact` is false if there may be more.
 */
export async function countMatching(
  sql: Sql,
  filter: ListFilters,
  timeMs: number,
): Promise<{ matched: number; exact: boolean }> {
  return countOf(sql, filter, await matchingOf(sql, filter, wantedOf(filter)), timeMs);
}

/** Counts the events that match and that `nextMatches` leaves out, at most `mostCounted`, for at most about `timeMs`. */
export async function countLeftOut(sql: Sql, filter: ListFilters, timeMs: number): Promise<number> {
  if (namesClosed(filter)) return 0;
  return (await countOf(sql, filter, await matchingOf(sql, filter, 'only'), timeMs)).matched;
}

async function countOf(
  sql: Sql,
  filter: ListFilters,
  matching: Matching,
  timeMs: number,
): Promise<{ matched: number; exact: boolean }> {
  const endMs = performance.now() + timeMs;
  let matched = 0;
  for (const day of (await windowsBack(sql, filter)).flatMap(daysBack)) {
    if (performance.now() >= endMs) return { matched, exact: false };
    try {
      matched += await countMatches(sql, matching, day, mostCounted + 1 - matched);
    } catch (error) {
      if (isCanceled(error)) return { matched, exact: false };
      throw error;
    }
    if (matched > mostCounted) return { matched: mostCounted, exact: false };
  }
  return { matched, exact: true };
}

const countIds = {
  name: '',
  text: 'select count(*)::integer as n from events where id = any($1) and id between $2 and $3',
};

/** How many of these ids are events. @param ids sorted */
export async function countGiven(sql: Sql, ids: readonly string[]): Promise<number> {
  const [row] = await sql.query<{ n: number }>(countIds, [ids, ids[0], ids.at(-1)]);
  return row?.n ?? 0;
}

const findWithin = {
  name: '',
  text: 'select id from events where id = any($1) and id between $2 and $3 and account_id = any($4::uuid[]) order by id',
};

/** Those of these ids that are events of some accounts, sorted. @param ids sorted */
export async function idsWithin(sql: Sql, ids: readonly string[], accountIds: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(findWithin, [ids, ids[0], ids.at(-1), accountIds]);
  return rows.map(({ id }) => id);
}

/** The id after this one, as a number of 128 bits. Event ids are UUIDv7, so it never overflows. */
export function idAfter(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
