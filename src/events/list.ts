import type { Sql } from '../database/sql.ts';
import { defaultConsumer, type EventRow, eventColumns } from './event.ts';
import { equalityFilters, type ListFilters } from './event-filters.ts';
import { type OfIncident, ofIncident } from './of-incident.ts';
import { type Closed, closedConditions, conditionOfState, placesOfState } from './state-filter.ts';
import { type Window, windowsBack } from './windows.ts';

export type EventFilter = ListFilters & {
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

// With the bounds of the window, so that only its partitions are read.
const lastOutcome = `(select d.outcome from delivery_attempts d where d.event_id = e.id and ${inWindow('d.event_id')}
  order by d.started_at desc limit 1)`;

const readConsumersOfName = {
  name: 'read_consumers_of_name',
  text: 'select id from consumers where name = $1',
};

/** The ids of the consumers of all accounts that have this name, deleted ones included. */
async function consumersOfName(sql: Sql, name: string): Promise<string[]> {
  return (await sql.query<{ id: string }>(readConsumersOfName, [name])).map(({ id }) => id);
}

/**
 * Reads what the statements of a filter need. Consumers are read by their name beforehand, deleted ones included, so that
 * PostgreSQL plans with their ids: by the index of consumers for those with few events.
 *
 * @param closed which of the events that a person has closed are meant
 */
export async function matchingOf(sql: Sql, filter: ListFilters, closed: Closed = 'as_others'): Promise<Matching> {
  const { consumer, incident } = filter;
  const scope = incident === undefined ? null : await ofIncident(sql, incident);
  const isNamed = consumer !== undefined && consumer !== defaultConsumer;
  return matches(filter, isNamed ? await consumersOfName(sql, consumer) : [], scope, closed);
}

function matches(
  filter: ListFilters,
  consumerIds: readonly string[],
  scope: OfIncident | null,
  closed: Closed,
): Matching {
  const values: unknown[] = [];
  const closedCondition = closedConditions[closed];
  const conditions: string[] = closedCondition === null ? [] : [closedCondition];
  const where = (condition: (parameter: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(condition(`$${values.length + 2}`));
  };
  for (const column of equalityFilters) {
    if (filter[column] !== undefined) where((p) => `e.${column} = ${p}`, filter[column]);
  }
  if (filter.accountIds) {
    const [only, ...others] = filter.accountIds;
    if (only !== undefined && others.length === 0) where((p) => `e.account_id = ${p}`, only);
    else where((p) => `e.account_id = any(${p}::uuid[])`, filter.accountIds);
  }
  if (filter.consumer === defaultConsumer) conditions.push('e.consumer_id is null');
  else if (filter.consumer !== undefined) {
    const [only, ...others] = consumerIds;
    // For a single one, the index has the events in the order of their ids.
    if (only !== undefined && others.length === 0) where((p) => `e.consumer_id = ${p}`, only);
    else where((p) => `e.consumer_id = any(${p}::uuid[])`, consumerIds);
  }
  if (filter.job !== undefined) where((p) => `e.bulk_job_id = ${p}`, filter.job);
  if (filter.skipped !== undefined) conditions.push(`e.skipped_reason is ${filter.skipped ? 'not null' : 'null'}`);
  // `state` has the index. Its value `open` covers two statuses, so the status itself is a second condition.
  if (filter.status !== undefined) {
    const open = filter.status === 'received' || filter.status === 'enqueued';
    where((p) => `e.state = ${p}`, open ? 'open' : filter.status);
    if (open) where((p) => `e.status = ${p}`, filter.status);
  }
  if (filter.delivery_status === 'failed') conditions.push('e.undelivered');
  else if (filter.delivery_status !== undefined) where((p) => `e.delivery_status = ${p}`, filter.delivery_status);
  if (filter.response_code !== undefined) where((p) => `e.response_code = ${p}`, filter.response_code);
  if (filter.cause !== undefined)
    where((p) => `(e.retries is not null or e.undelivered) and ${lastOutcome} = ${p}`, filter.cause);
  if (filter.since) where((p) => `e.received_at > ${p}`, filter.since);
  if (filter.until) where((p) => `e.received_at < ${p}`, filter.until);
  for (const { column, is, value } of scope?.conditions ?? []) where((p) => `${column} ${is} ${p}`, value);
  const sources = sourcesOf(filter, scope).map((source) => [source, ...conditions].join(' and '));
  return { sources, values };
}

/** Received events are in the queue. Pending events are in the queue, have a time of their next attempt, or both. */
function sourcesOf(filter: ListFilters, scope: OfIncident | null): string[] {
  if (scope) {
    const state = filter.state === undefined ? '' : ` and ${conditionOfState(filter.state)}`;
    return scope.sources.map((source) => `${fromEvents} and ${source}${state}`);
  }
  if (filter.state !== undefined) {
    const { table, queue } = placesOfState[filter.state];
    return [...(table ? [`${fromEvents} and ${table}`] : []), ...(queue ? [`${fromQueue} and ${queue}`] : [])];
  }
  if (filter.status === 'received') return [fromQueue];
  if (filter.cause !== undefined) return [`${fromEvents} and e.retries is not null`, `${fromEvents} and e.undelivered`];
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
