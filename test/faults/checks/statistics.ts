import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { withClient } from '../../support/one-connection.ts';
import { some } from './some.ts';

const sums =
  'stored pending delivered failed retrying rejected open_state processed_state failed_state dead_state rejected_state attempts siblings skipped';
const sumsOf = sums
  .split(' ')
  .map((name) => `sum(${name})::integer as ${name}`)
  .join(', ');

/** The counters, with the changes that are not folded yet, hour by hour. */
const counters: Record<string, string> = {
  event_stats: `select hour, provider, ${sumsOf} from (select * from event_stats union all select * from event_stat_deltas) s
    group by 1, 2 having sum(stored) <> 0 or sum(attempts) <> 0 order by 1, 2`,
  event_latencies: `select hour, bucket, sum(n)::integer as n
    from (select * from event_latencies union all select * from event_latency_deltas) l group by 1, 2 having sum(n) <> 0 order by 1, 2`,
  event_values: 'select * from event_values order by kind, value, day',
};

/** The statistics equal a recount of the tables, which is rolled back. No worker may run: it would fold the counters. */
export const checkStatistics = (url: string): Promise<string[]> =>
  withClient(url, async (client) => {
    await client.query('begin');
    const kept = await readAll(client);
    await client.query('select recount_events()');
    const counted = await readAll(client);
    await client.query('rollback');
    return Object.keys(counters).flatMap((name) => {
      const [before, after] = [kept[name] ?? [], counted[name] ?? []];
      const differing = before.filter((row, index) => !isDeepStrictEqual(row, after[index]));
      if (before.length === after.length && differing.length === 0) return [];
      return some(`rows of ${name} differ from a recount`, [{ kept: before, counted: after }]);
    });
  });

async function readAll(client: pg.Client): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const [name, text] of Object.entries(counters)) tables[name] = (await client.query(text)).rows;
  return tables;
}
