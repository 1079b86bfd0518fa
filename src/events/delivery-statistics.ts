import type { Sql } from '../database/sql.ts';
import type { DeliveryStats } from './delivery-schemas.ts';
import { latencyPercentiles } from './latency.ts';

const firstHour = `start_of_hour(now()) - interval '23 hours'`;
const countsOf = (columns: string, condition: string) =>
  `(select ${columns} from event_stats where ${condition} union all select ${columns} from event_stat_deltas where ${condition})`;

// One statement, so that all numbers are of one moment. Deltas that are not folded yet are included.
const readStatistics = {
  name: '',
  text: `
    select
      (select coalesce(json_agg(p order by p.provider), '[]') from (
          select provider, sum(stored - rejected - skipped) as total, sum(pending) as pending, sum(delivered) as delivered, sum(failed) as failed,
            sum(retrying) as retrying, sum(attempts) as attempts
          from ${countsOf('provider, stored, rejected, skipped, pending, delivered, failed, retrying, attempts', 'true')} s group by provider) p) as providers,
      (select json_agg(json_build_object('hour', to_char(h.hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"'), 'received', coalesce(c.received, 0),
          'delivered', coalesce(c.delivered, 0), 'failed', coalesce(c.failed, 0)) order by h.hour)
        from generate_series(${firstHour}, now(), interval '1 hour') as h (hour) left join (
          select hour, sum(stored - rejected - siblings) as received, sum(delivered) as delivered, sum(failed) as failed
          from ${countsOf('hour, stored, rejected, siblings, delivered, failed', `hour >= ${firstHour}`)} s group by hour) c using (hour)) as by_hour,
      (select coalesce(json_agg(json_build_object('bucket', b.bucket, 'n', b.n) order by b.bucket), '[]') from (
          select bucket, sum(n) as n from (select * from event_latencies union all select * from event_latency_deltas) l
          where hour >= ${firstHour} group by bucket having sum(n) > 0) b) as latencies`,
};

interface Row {
  /** Attempts are counted in a separate row with an empty provider. */
  providers: (DeliveryStats['by_provider'][number] & { retrying: number; attempts: number })[];
  by_hour: DeliveryStats['by_hour'];
  latencies: { bucket: number; n: number }[];
}

/** Reads the delivery statistics from the counters that triggers maintain (migrations/schema/statistics.sql). */
export async function deliveryStatistics(sql: Sql) {
  const [row] = await sql.query<Row>(readStatistics, []);
  if (!row) throw new Error('a statement of subqueries answered without a row');
  const sum = (name: keyof Omit<Row['providers'][number], 'provider'>) =>
    row.providers.reduce((total, counts) => total + counts[name], 0);
  const [delivered, failed] = [sum('delivered'), sum('failed')];
  return {
    total: sum('total'),
    pending: sum('pending'),
    ...{ delivered, failed },
    retrying: sum('retrying'),
    success_rate: delivered + failed === 0 ? null : delivered / (delivered + failed),
    attempts: sum('attempts'),
    latency_ms: latencyPercentiles(row.latencies),
    by_provider: row.providers
      .filter(({ total }) => total > 0)
      .map(({ retrying: _retrying, attempts: _attempts, ...counts }) => counts),
    by_hour: row.by_hour,
  };
}
