import type { Sql } from '../../database/sql.ts';
import { latencyPercentiles } from '../../events/latency.ts';
import type { ConsumerCounted, FailingAccount } from './consumer-schemas.ts';

const hourMs = 60 * 60_000;

/** Whole hours, the present one included. */
export interface Hours {
  from: Date;
  to: Date;
}

/** The last `hours` hours, from the beginning of the first to the end of the present one. */
export function lastHours(hours: number, nowMs: number): Hours {
  const toMs = (Math.floor(nowMs / hourMs) + 1) * hourMs;
  return { from: new Date(toMs - hours * hourMs), to: new Date(toMs) };
}

interface CountedRow {
  attempts: number;
  failed_attempts: number;
  exhausted: number;
  buckets: number[];
  numbers: number[];
}

const nothing: CountedRow = { attempts: 0, failed_attempts: 0, exhausted: 0, buckets: [], numbers: [] };

function countedOf({ attempts, failed_attempts, exhausted, buckets, numbers }: CountedRow): ConsumerCounted {
  return {
    ...{ attempts, failed_attempts, delivered: attempts - failed_attempts, exhausted },
    duration_ms: latencyPercentiles(buckets.map((bucket, index) => ({ bucket, n: numbers[index] ?? 0 }))),
  };
}

/** The buckets or numbers of the histograms of several consumers in one hour, in the same order. */
const merged = (column: 'bucket' | 'n', hour: string) => `
      select coalesce(array_agg(${column} order by bucket), '{}') from (
        select u.bucket, sum(u.n)::double precision as n from account_deliveries h cross join lateral unnest(h.buckets, h.numbers) as u (bucket, n)
        where h.account_id = any($1) and h.hour = ${hour} group by u.bucket
      ) sums`;

const readHours = {
  name: '',
  text: `
    select d.hour, sum(attempts)::double precision as attempts, sum(failed_attempts)::double precision as failed_attempts,
      sum(exhausted)::double precision as exhausted, (${merged('bucket', 'd.hour')}) as buckets, (${merged('n', 'd.hour')}) as numbers
    from account_deliveries d where d.account_id = any($1) and d.hour >= $2 and d.hour < $3 group by d.hour`,
};

/**
 * Reads how consumers of an account fared in each hour, together, oldest first.
 *
 * @param consumerIds for `default`, the id of the account
 */
export async function consumerByHour(
  sql: Sql,
  consumerIds: readonly string[],
  { from, to }: Hours,
): Promise<(ConsumerCounted & { at: string })[]> {
  const rows = await sql.query<CountedRow & { hour: Date }>(readHours, [consumerIds, from, to]);
  const found = new Map(rows.map((row) => [row.hour.getTime(), row]));
  const points: (ConsumerCounted & { at: string })[] = [];
  for (let atMs = from.getTime(); atMs < to.getTime(); atMs += hourMs)
    points.push({ at: new Date(atMs).toISOString(), ...countedOf(found.get(atMs) ?? nothing) });
  return points;
}

// Reads the hours with failures by their index, and all hours only of the accounts that are shown. The rows are those of
// consumers; the one of `default` has the id of its account.
const readFailing = {
  name: '',
  text: `
    with failing as materialized (
      select coalesce(c.account_id, d.account_id) as account_id, sum(failed_attempts) as failed
      from account_deliveries d left join consumers c on c.id = d.account_id
      where hour >= $1 and hour < $2 and failed_attempts > 0 and ($4::uuid[] is null or coalesce(c.account_id, d.account_id) = any($4)) group by 1 order by failed desc, 1 limit $3
    )
    select a.id as account_id, a.provider, a.account_slug, a.app_key, a.deleted_at is not null as deleted,
      t.attempts, t.failed_attempts, t.exhausted, l.buckets, l.numbers
    from failing f join accounts a on a.id = f.account_id
    cross join lateral (select array(select a.id union select id from consumers where account_id = a.id) as ids) o
    cross join lateral (
      select sum(attempts)::double precision as attempts, sum(failed_attempts)::double precision as failed_attempts,
        sum(exhausted)::double precision as exhausted
      from account_deliveries d where d.account_id = any(o.ids) and d.hour >= $1 and d.hour < $2
    ) t
    cross join lateral (
      select coalesce(array_agg(bucket order by bucket), '{}') as buckets, coalesce(array_agg(n order by bucket), '{}') as numbers from (
        select u.bucket, sum(u.n)::double precision as n
        from account_deliveries d cross join lateral unnest(d.buckets, d.numbers) as u (bucket, n)
        where d.account_id = any(o.ids) and d.hour >= $1 and d.hour < $2 group by u.bucket
      ) sums
    ) l
    order by f.failed desc, f.account_id`,
};

/** Lists the accounts with the most failed attempts in these hours, most first. @param page `accountIds`: only of these */
export async function failingAccounts(
  sql: Sql,
  { from, to }: Hours,
  { limit, accountIds = null }: { limit: number; accountIds?: readonly string[] | null },
): Promise<FailingAccount[]> {
  const rows = await sql.query<Omit<FailingAccount, keyof ConsumerCounted> & CountedRow>(readFailing, [
    from,
    to,
    limit,
    accountIds,
  ]);
  return rows.map((row) => {
    const { account_id, provider, account_slug, app_key, deleted } = row;
    return { account_id, provider, account_slug, app_key, deleted, ...countedOf(row) };
  });
}
