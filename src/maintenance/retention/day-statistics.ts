import type { Sql } from '../../database/sql.ts';
import { isoDay } from '../../database/uuid-time.ts';

// The hours of a day; the first parameter is its midnight. Not `1 day`: that is 23 or 25 hours where the clocks change.
const ofDay = `hour >= $1 and hour < $1::timestamptz + interval '24 hours'`;

const readCounts = {
  name: 'read_counts_of_day',
  text: `
    select (select count(*)::integer from event_stat_deltas where ${ofDay}) as deltas,
      (select coalesce(sum(pending), 0)::integer
       from (select hour, pending from event_stats union all select hour, pending from event_stat_deltas) counts
       where ${ofDay}) as pending`,
};

/** What the statistics know of a day. */
export interface DayCounts {
  /**
   * How many differences wait for their fold. Whatever changes what is counted of a day's events leaves one, so while nobody
   * folds, an equal number means that nothing has changed.
   */
  deltas: number;
  /** How many of its events are pending. Every change of an event counts it in the same transaction. */
  pending: number;
}

export async function readDayCounts(sql: Sql, day: Date): Promise<DayCounts> {
  const [row] = await sql.query<DayCounts>(readCounts, [day]);
  if (!row) throw new Error('the database has not answered with counts');
  return row;
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
