import { lockKeys } from '../database/lock-keys.ts';
import type { Sql } from '../database/sql.ts';
import { happened } from './series-counts.ts';

/** Rows per statement: at most about a second of work, even when deltas have piled up while no worker ran. */
const mostRows = 50_000;

const counters = [
  ...['stored', 'pending', 'delivered', 'failed', 'retrying', 'rejected'],
  ...[
    'open_state',
    'processed_state',
    'failed_state',
    'dead_state',
    'rejected_state',
    'attempts',
    'failed_attempts',
    'siblings',
    'skipped',
  ],
];

/** Sums by key and, for each, what is summed. */
interface Sums {
  table: string;
  keys: string;
  sums: Readonly<Record<string, string>>;
}

/** `1, 2` for two keys: the places of the keys in the select list. A key's value may be a constant number. */
const places = (keys: string) =>
  keys
    .split(', ')
    .map((_, index) => index + 1)
    .join(', ');

/** Adds the taken deltas to the rows of a table with these keys. `keyValues` are the values of the keys. */
const addTo = ({ table, keys, sums }: Sums, keyValues = keys, where = 'true') => `
    insert into ${table} as s (${keys}, ${Object.keys(sums).join(', ')})
    select ${keyValues}, ${Object.values(sums)
      .map((sum) => `sum(${sum})`)
      .join(', ')} from taken where ${where} group by ${places(keys)} order by ${places(keys)}
    on conflict (${keys}) do update set ${Object.keys(sums)
      .map((sum) => `${sum} = s.${sum} + excluded.${sum}`)
      .join(', ')}`;

/**
 * Moves deltas into one row per key, and into the series of minutes and hours. The deletion and the sums commit
 * together, so readers always see the right total. An advisory lock keeps several workers from folding at the same time.
 */
const fold = (names: Sums & { deltas: string; series: Sums; counts: string }) => `
  with taken as (
    delete from ${names.deltas} where ctid = any(array(
      select ctid from ${names.deltas} where (select pg_try_advisory_xact_lock(${lockKeys.statistics})) limit ${mostRows}
    )) returning *
  ), folded as (${addTo(names)}
  ), by_minute as (${addTo(names.series, valuesOf(names.series, 1, 'minute'), names.counts)}
  ), by_hour as (${addTo(names.series, valuesOf(names.series, 60, 'start_of_hour(minute)'), names.counts)}
  )
  select count(*)::integer as n from taken`;

/** The values of a series' keys: its minutes, the time, and the last key. */
const valuesOf = ({ keys }: Sums, minutes: 1 | 60, at: string) => `${minutes}, ${at}, ${keys.split(', ').at(-1)}`;

const foldCounts = {
  name: 'fold_event_stats',
  text: fold({
    ...{ table: 'event_stats', deltas: 'event_stat_deltas', keys: 'hour, provider' },
    sums: Object.fromEntries(counters.map((counter) => [counter, counter])),
    series: { table: 'event_series', keys: 'minutes, at, provider', sums: happened },
    counts: 'minute is not null',
  }),
};
const foldLatencies = {
  name: 'fold_event_latencies',
  text: fold({
    ...{ table: 'event_latencies', deltas: 'event_latency_deltas', keys: 'hour, bucket', sums: { n: 'n' } },
    series: { table: 'event_series_latencies', keys: 'minutes, at, bucket', sums: { n: 'n' } },
    // A replay takes its event's delivery back with a negative number, but the delivery happened.
    counts: 'minute is not null and n > 0',
  }),
};

// Percentiles cover the last 24 hours, so older rows are not needed. A replay of an older delivery inserts a negative
// row for its hour, which is deleted here too.
const forgetLatencies = {
  name: 'forget_event_latencies',
  text: `delete from event_latencies where hour < now() - interval '2 days'`,
};

// A day longer than the series that operators may ask for, and than the statistics of 48 hours by minute.
const forgetSeries = (table: string) => ({
  name: `forget_${table}`,
  text: `delete from ${table} where minutes = 1 and at < now() - interval '49 hours' or minutes = 60 and at < now() - interval '32 days'`,
});
const forgetCountSeries = forgetSeries('event_series');
const forgetLatencySeries = forgetSeries('event_series_latencies');

/**
 * Folds the deltas of the statistics into their totals, so that reading them stays cheap.
 *
 * @returns whether more deltas may be left.
 */
export async function foldStatistics(sql: Sql): Promise<boolean> {
  let more = false;
  for (const statement of [foldCounts, foldLatencies]) {
    const [row] = await sql.query<{ n: number }>(statement, []);
    more ||= row?.n === mostRows;
  }
  for (const statement of [forgetLatencies, forgetCountSeries, forgetLatencySeries]) await sql.query(statement, []);
  return more;
}
