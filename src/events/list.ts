import type { Sql } from '../database/sql.ts';
import { defaultConsumer, type EventRow, eventColumns } from './event.ts';
import { type EventFilters, equalityFilters } from './event-filters.ts';
import { type Window, windowsBack } from './windows.ts';

export type EventFilter = EventFilters & {
  /** Events older than this one: the cursor of the next page. */
  before?: string | undefined;
  limit: number;
  offset: number;
};

/**
 * Lists events, newest first, without payload and headers. Reads backwards in time, window by window, until the page is
 * full, so the cost depends on the rows that it passes and not on the total. Use `database.reader`, whose plans are
 * made for the actual parameter values.
 */
export async function listEvents(sql: Sql, filter: EventFilter): Promise<EventRow[]> {
  const matching = await matchingOf(sql, filter);
  const rows: EventRow[] = [];
  let { offset: skip, until } = filter;
  const isWhole = matching.sources.every((source) => source === fromEvents) && filter.before === undefined;
  if (skip > 0 && isWhole) ({ skip, until } = await skipDays(sql, skip));
  for (const window of await windowsBack(sql, { ...filter, until })) {
    if (rows.length >= filter.limit) break;
    if (skip > 0) {
      const passed = await countMatches(sql, matching, window, skip);
      skip -= passed;
      // The window has no more matches than those that are to be skipped.
      if (skip > 0) continue;
      const left = { offset: passed, limit: filter.limit };
      rows.push(...(await readMatches(sql, matching, window, left)));
    } else {
      rows.push(...(await readMatches(sql, matching, window, { offset: 0, limit: filter.limit - rows.length })));
    }
  }
  return rows;
}

const countDays = {
  name: '',
  text: `
    select date_trunc('day', hour, 'UTC') as day, sum(stored)::integer as n
    from (select hour, stored from event_stats union all select hour, stored from event_stat_deltas) s group by 1 order by 1 desc`,
};

/** Skips whole days of an unfiltered list by their counts. Returns how many events to skip before the time `until`. */
async function skipDays(sql: Sql, offset: number): Promise<{ skip: number; until: Date | undefined }> {
  let skip = offset;
  let until: Date | undefined;
  for (const { day, n } of await sql.query<{ day: Date; n: number }>(countDays, [])) {
    if (n > skip) break;
    skip -= n;
    until = day;
  }
  return { skip, until };
}

/**
 * The sources of the events that match a filter: each is a FROM and a WHERE clause. `values` are the parameters from
 * $3.
 */
export interface Matching {
  sources: string[];
  values: unknown[];
}

const inWindow = (id: string) => `${id} >= $1 and ${id} < $2`;
const fromEvents = `from events e where ${inWindow('e.id')}`;
const fromQueue = `from event_queue q join events e on e.id = q.event_id and ${inWindow('e.id')} where ${inWindow('q.event_id')}`;

const readConsumersOfName = {
  name: 'read_consumers_of_name',
  text: 'select id from consumers where name = $1',
};

/**
 * Reads what the statements of a filter need. Consumers are read by their name beforehand, deleted ones included, so that
 * PostgreSQL plans with their ids: by the index of consumers for those with few events.
 */
export async function matchingOf(sql: Sql, filter: EventFilters): Promise<Matching> {
  const { consumer } = filter;
  if (consumer === undefined || consumer === defaultConsumer) return matches(filter, []);
  const rows = await sql.query<{ id: string }>(readConsumersOfName, [consumer]);
  return matches(
    filter,
    rows.map(({ id }) => id),
  );
}

function matches(filter: EventFilters, consumerIds: readonly string[]): Matching {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const where = (condition: (parameter: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(condition(`$${values.length + 2}`));
  };
  for (const column of equalityFilters) {
    if (filter[column] !== undefined) where((p) => `e.${column} = ${p}`, filter[column]);
  }
  if (filter.consumer === defaultConsumer) conditions.push('e.consumer_id is null');
  else if (filter.consumer !== undefined) {
    const [only, ...others] = consumerIds;
    // For a single one, the index has the events in the order of their ids.
    if (only !== undefined && others.length === 0) where((p) => `e.consumer_id = ${p}`, only);
    else where((p) => `e.consumer_id = any(${p}::uuid[])`, consumerIds);
  }
  if (filter.skipped !== undefined) conditions.push(`e.skipped_reason is ${filter.skipped ? 'not null' : 'null'}`);
  // `state` has the index. Its value `open` covers two statuses, so the status itself is a second condition.
  if (filter.status !== undefined) {
    const open = filter.status === 'received' || filter.status === 'enqueued';
    where((p) => `e.state = ${p}`, open ? 'open' : filter.status);
    if (open) where((p) => `e.status = ${p}`, filter.status);
  }
  if (filter.delivery_status === 'failed') conditions.push('e.undelivered');
  else if (filter.delivery_status !== undefined) where((p) => `e.delivery_status = ${p}`, filter.delivery_status);
  if (filter.since) where((p) => `e.received_at > ${p}`, filter.since);
  if (filter.until) where((p) => `e.received_at < ${p}`, filter.until);
  const sources = sourcesOf(filter).map((source) => [source, ...conditions].join(' and '));
  return { sources, values };
}

/** Received events are in the queue. Pending events are in the queue, have a time of their next attempt, or both. */
function sourcesOf(filter: EventFilters): string[] {
  if (filter.status === 'received') return [fromQueue];
  if (filter.delivery_status === 'pending') return [`${fromEvents} and e.due_at is not null`, fromQueue];
  return [fromEvents];
}

async function readMatches(
  sql: Sql,
  { sources, values }: Matching,
  window: Window,
  page: { offset: number; limit: number },
): Promise<EventRow[]> {
  const limit = `$${values.length + 3}`;
  const offset = `$${values.length + 4}`;
  const [only, ...others] = sources.map((source) => `select ${eventColumns} ${source} order by e.id desc`);
  const text =
    others.length === 0
      ? `${only} limit ${limit} offset ${offset}`
      : `select * from (${[only, ...others].map((one) => `(${one} limit ${limit}::bigint + ${offset}::bigint)`).join(' union ')}) e
         order by e.id desc limit ${limit} offset ${offset}`;
  return sql.query<EventRow>({ name: '', text }, [window.low, window.high, ...values, page.limit, page.offset]);
}

/** Counts the matches in a window, up to `most`. */
export async function countMatches(
  sql: Sql,
  { sources, values }: Matching,
  window: Window,
  most: number,
): Promise<number> {
  const ids = sources
    .map((source) => `(select e.id ${source} order by e.id desc limit $${values.length + 3})`)
    .join(' union ');
  const text = `select count(*)::integer as n from (select 1 from (${ids}) e limit $${values.length + 3}) t`;
  const [row] = await sql.query<{ n: number }>({ name: '', text }, [window.low, window.high, ...values, most]);
  return row?.n ?? 0;
}
