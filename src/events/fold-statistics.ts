import { lockKeys } from '../database/lock-keys.ts';
import type { Sql } from '../database/sql.ts';

/** Rows per statement: at most about a second of work, even when deltas have piled up while no worker ran. */
const mostRows = 50_000;

const counters = [
  ...['stored', 'pending', 'delivered', 'failed', 'retrying', 'rejected'],
  ...['open_state', 'processed_state', 'failed_state', 'dead_state', 'rejected_state', 'attempts'],
];

/**
 * Moves deltas into one row per key. The deletion and the sums commit together, so readers always see the right total.
 * An advisory lock keeps several workers from folding at the same time.
 */
const fold = (names: { table: string; deltas: string; keys: string; sums: string[] }) => `
  with taken as (
    delete from ${names.deltas} where ctid = any(array(
      select ctid from ${names.deltas} where (select pg_try_advisory_xact_lock(${lockKeys.statistics})) limit ${mostRows}
    )) returning *
  ), folded as (
    insert into ${names.table} as s (${names.keys}, ${names.sums.join(', ')})
    select ${names.keys}, ${names.sums.map((sum) => `sum(${sum})`).join(', ')} from taken group by ${names.keys} order by ${names.keys}
    on conflict (${names.keys}) do update set ${names.sums.map((sum) => `${sum} = s.${sum} + excluded.${sum}`).join(', ')}
  )
  select count(*)::integer as n from taken`;

const foldCounts = {
  name: 'fold_event_stats',
  text: fold({ table: 'event_stats', deltas: 'event_stat_deltas', keys: 'hour, provider', sums: counters }),
};
const foldLatencies = {
  name: 'fold_event_latencies',
  text: fold({ table: 'event_latencies', deltas: 'event_latency_deltas', keys: 'hour, bucket', sums: ['n'] }),
};

// Percentiles cover the last 24 hours, so older rows are not needed. A replay of an older delivery inserts a negative
// row for its hour, which is deleted here too.
const forgetLatencies = {
  name: 'forget_event_latencies',
  text: `delete from event_latencies where hour < now() - interval '2 days'`,
};

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
  await sql.query(forgetLatencies, []);
  return more;
}
