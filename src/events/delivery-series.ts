import type { Sql } from '../database/sql.ts';
import type { SeriesPoint } from './delivery-schemas.ts';
import { latencyPercentiles } from './latency.ts';
import { happened } from './series-counts.ts';

/** A span of whole steps. */
export interface Span {
  from: Date;
  to: Date;
  stepMs: number;
  /** Which counts are read: of minutes or of hours. */
  unit: 'minutes' | 'hours';
}

const columns = Object.keys(happened);
// Doubles hold whole numbers up to 2^53: a month of 1,000 attempts a second is more than an integer holds.
const sums = columns.map((name) => `sum(${name})::double precision as ${name}`).join(', ');
const deltas = Object.entries(happened)
  .map(([name, value]) => `${value} as ${name}`)
  .join(', ');
// Steps are counted from midnight UTC.
const point = (at: string) =>
  `date_bin(make_interval(secs => $3::double precision), ${at}, timestamptz '1970-01-01 00:00:00+00')`;
const inSpan = (at: string) => `${at} >= $1 and ${at} < $2`;

// One statement, so that all numbers are of one moment. Deltas that are not folded yet are included.
const readSeries = {
  name: '',
  text: `
    with counts as (
      select ${point('at')} as at, ${sums} from (
        select at, provider, ${columns.join(', ')} from event_series where minutes = $4 and ${inSpan('at')}
        union all select minute, provider, ${deltas} from event_stat_deltas where ${inSpan('minute')}
      ) c where $5::text is null or provider = $5 group by 1
    ), latencies as (
      select at, array_agg(bucket order by bucket) as buckets, array_agg(n order by bucket) as numbers from (
        select ${point('at')} as at, bucket, sum(n)::double precision as n from (
          select at, bucket, n from event_series_latencies where minutes = $4 and ${inSpan('at')}
          union all select minute, bucket, n from event_latency_deltas where ${inSpan('minute')} and n > 0
        ) l where $5::text is null group by 1, 2
      ) b group by at
    )
    select at, ${columns.map((name) => `coalesce(${name}, 0) as ${name}`).join(', ')}, coalesce(buckets, '{}') as buckets, coalesce(numbers, '{}') as numbers
    from counts full join latencies using (at) order by at`,
};

type Row = Record<keyof typeof happened, number> & { at: Date; buckets: number[]; numbers: number[] };

/** Reads a point for each step of a span, oldest first. Use `database.reader`. */
export async function deliverySeries(sql: Sql, span: Span, provider: string | null): Promise<SeriesPoint[]> {
  const { from, to, stepMs, unit } = span;
  const minutes = unit === 'minutes' ? 1 : 60;
  const rows = await sql.query<Row>(readSeries, [from, to, stepMs / 1_000, minutes, provider]);
  const found = new Map(rows.map((row) => [row.at.getTime(), row]));
  const points: SeriesPoint[] = [];
  for (let atMs = from.getTime(); atMs < to.getTime(); atMs += stepMs)
    points.push(pointOf(new Date(atMs), found.get(atMs), provider));
  return points;
}

function pointOf(at: Date, row: Row | undefined, provider: string | null): SeriesPoint {
  const { received = 0, rejected = 0, delivered = 0, failed = 0, pending_change = 0 } = row ?? {};
  const { attempts = 0, failed_attempts = 0 } = row ?? {};
  const { buckets = [], numbers = [] } = row ?? {};
  return {
    at: at.toISOString(),
    ...{ received, rejected, delivered, failed, pending_change },
    // Neither attempts nor latencies are counted by provider.
    attempts: provider === null ? attempts : null,
    failed_attempts: provider === null ? failed_attempts : null,
    latency_ms:
      provider === null
        ? latencyPercentiles(buckets.map((bucket, index) => ({ bucket, n: numbers[index] ?? 0 })))
        : null,
  };
}
