import type { Sql } from '../database/database.ts';
import { partitionName } from '../database/partitions.ts';
import { isoDay } from '../database/uuid-time.ts';
import { pageRanges, pagesARead } from './pages.ts';

// The hours of a day; the first parameter is its midnight. Not `1 day`: that is 23 or 25 hours where the clocks change.
const ofDay = `hour >= $1 and hour < $1::timestamptz + interval '24 hours'`;

const countDeltas = {
  name: 'count_deltas_of_day',
  text: `select count(*)::integer as n from event_stat_deltas where ${ofDay}`,
};

/**
 * How many differences of a day wait for their fold. Whatever changes what is counted of a day's events leaves one, so
 * while nobody folds, an equal number means that nothing has changed.
 */
export async function countDayDeltas(sql: Sql, day: Date): Promise<number> {
  const [row] = await sql.query<{ n: number }>(countDeltas, [day]);
  return row?.n ?? 0;
}

/** Deliveries an hour and bucket, as in migrations/Migration20261121000000_event_statistics.ts. */
export interface LateDeliveries {
  hours: Date[];
  buckets: number[];
  counts: number[];
}

/**
 * Reads a day's events once: those that are pending, and those that were delivered so much later that the latencies of
 * the last days, which count by the hour of delivery, still have them.
 *
 * @returns null when one is pending.
 */
export async function readLateDeliveries(sql: Sql, day: Date): Promise<LateDeliveries | null> {
  const events = partitionName('events', day);
  // Latencies of hours that are longer ago are forgotten already: src/events/fold-statistics.ts. The clock is read once, not
  // for each row.
  const text = `
    select delivery_status = 'pending' as pending, date_bin('1 hour', delivered_at, timestamptz '2000-01-01 00:00:00+00') as hour,
      ceil(20 * log(greatest(extract(epoch from delivered_at - generation_at)::double precision * 10000, 1)))::integer as bucket, count(*)::integer as n
    from ${events}
    where ctid >= $1::tid and ctid < $2::tid and (delivery_status = 'pending' or delivered_at >= (select now() - interval '2 days'))
    group by 1, 2, 3`;
  const late: LateDeliveries = { hours: [], buckets: [], counts: [] };
  for (const range of await pageRanges(sql, events, pagesARead)) {
    const rows = await sql.query<{ pending: boolean; hour: Date; bucket: number; n: number }>(
      { name: '', text },
      range,
    );
    for (const { pending, hour, bucket, n } of rows) {
      if (pending) return null;
      late.hours.push(hour);
      late.buckets.push(bucket);
      late.counts.push(n);
    }
  }
  return late;
}

const forgetCounts = { name: 'forget_counts_of_day', text: `delete from event_stats where ${ofDay}` };
const forgetValues = { name: 'forget_values_of_day', text: 'delete from event_values where day = $1::date' };

/** Deletes what was counted of a day's events, but not the differences that wait. */
export async function forgetDay(sql: Sql, day: Date): Promise<void> {
  await sql.query(forgetCounts, [day]);
  await sql.query(forgetValues, [isoDay(day)]);
}

const forgetDeltas = {
  name: 'forget_deltas_of_day',
  text: `with gone as (delete from event_stat_deltas where ${ofDay} returning 1) select count(*)::integer as n from gone`,
};

/** @returns how many differences of the day there were. */
export async function forgetDayDeltas(sql: Sql, day: Date): Promise<number> {
  const [row] = await sql.query<{ n: number }>(forgetDeltas, [day]);
  return row?.n ?? 0;
}

const takeBack = {
  name: 'take_back_latencies',
  text: `
    insert into event_latency_deltas (hour, bucket, n)
    select hour, bucket, -sum(n) from unnest($1::timestamptz[], $2::integer[], $3::integer[]) as t (hour, bucket, n) group by 1, 2`,
};

/** Takes deliveries out of the latencies, as the differences that an update leaves do. */
export async function takeBackLatencies(sql: Sql, late: LateDeliveries): Promise<void> {
  if (late.hours.length > 0) await sql.query(takeBack, [late.hours, late.buckets, late.counts]);
}
