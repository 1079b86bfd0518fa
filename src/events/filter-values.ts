import type { Sql } from '../database/sql.ts';
import { type EventStatus, eventStatuses } from './event.ts';
import { listEvents } from './list.ts';

/** Values of each kind. A longer list is of no use in a selection. */
const mostValues = 1000;

// A loose index scan: one index lookup for each value, even if many days have it.
const readValues = {
  name: '',
  text: `
    with recursive hop as (
      (select value, 1 as n from event_values where kind = $1 order by value limit 1)
      union all
      select (select v.value from event_values v where v.kind = $1 and v.value > hop.value order by v.value limit 1), hop.n + 1
      from hop where hop.value is not null and hop.n < ${mostValues}
    )
    select value from hop where value is not null`,
};

/** Rows of the queue that are counted at most, so that a long queue does not make the statement slow. */
const countedQueue = 100_000;

// The statistics count received and enqueued events together as open, without webhooks that no consumer gets, which are
// enqueued. Every received event is in the queue. So if more events are open than queued, at least one is enqueued. Otherwise `statusesOf` looks for one of each status.
const readStates = {
  name: '',
  text: `
    select sum(open_state) > 0 as open, sum(skipped) > 0 or sum(open_state) > (select count(*) from (select 1 from event_queue limit ${countedQueue}) q) as enqueued, sum(processed_state) > 0 as processed, sum(failed_state) > 0 as failed,
      sum(dead_state) > 0 as dead, sum(rejected_state) > 0 as rejected
    from (select * from event_stats union all select * from event_stat_deltas) s`,
};

type States = Record<'open' | 'enqueued' | 'processed' | 'failed' | 'dead' | 'rejected', boolean | null>;

/**
 * Reads the values by which the stored events can be filtered (R47): sorted, without nulls, at most 1,000 of each.
 *
 * @param accountIds limits them to what these accounts have; null: all
 */
export async function filterValues(sql: Sql, accountIds: readonly string[] | null = null) {
  if (accountIds !== null) return valuesWithin(sql, accountIds);
  const [providers, eventTypes, accountSlugs, statuses] = await Promise.all([
    valuesOf(sql, 'provider'),
    valuesOf(sql, 'event_type'),
    valuesOf(sql, 'account_slug'),
    statusesOf(sql),
  ]);
  return { providers, event_types: eventTypes, account_slugs: accountSlugs, statuses };
}

const readNames = {
  name: '',
  text: 'select provider, account_slug::text as account_slug from accounts where id = any($1::uuid[])',
};

/** The values of some accounts. Those of all days are stored without the account, so they are taken from the newest events. */
async function valuesWithin(sql: Sql, accountIds: readonly string[]) {
  const names = await sql.query<{ provider: string; account_slug: string }>(readNames, [accountIds]);
  const events = await listEvents(sql, { accountIds, limit: mostValues, offset: 0 });
  const all = [...names, ...events];
  return {
    providers: distinct(all.map(({ provider }) => provider)),
    event_types: distinct(events.flatMap(({ event_type }) => event_type ?? [])),
    account_slugs: distinct(all.map(({ account_slug }) => account_slug)),
    statuses: distinct(events.map(({ status }) => status)),
  };
}

const distinct = <T extends string>(values: readonly T[]): T[] => [...new Set(values)].sort().slice(0, mostValues);

async function valuesOf(sql: Sql, kind: 'provider' | 'event_type' | 'account_slug'): Promise<string[]> {
  const rows = await sql.query<{ value: string }>(readValues, [kind]);
  return rows.map(({ value }) => value).sort();
}

async function statusesOf(sql: Sql): Promise<EventStatus[]> {
  const [states] = await sql.query<States>(readStates, []);
  const exists = async (status: EventStatus): Promise<boolean> => {
    if (status !== 'received' && states?.[status] === true) return true;
    if (status !== 'received' && status !== 'enqueued') return false;
    return states?.open === true && (await listEvents(sql, { status, limit: 1, offset: 0 })).length > 0;
  };
  const found = await Promise.all(eventStatuses.map(async (status) => ((await exists(status)) ? [status] : [])));
  return found.flat().sort();
}
