import type { Sql } from '../../database/sql.ts';
import { isoDay } from '../../database/uuid-time.ts';

// The hours of a day; $1 is its midnight. Not `1 day`, which has 23 or 25 hours when daylight saving time changes.
const ofDay = `hour >= $1 and hour < $1::timestamptz + interval '24 hours'`;

const readCounts = {
  name: 'read_counts_of_day',
  text: `
    select (select count(*)::integer from event_stat_deltas where ${ofDay}) as deltas,
      (select coalesce(sum(pending), 0)::integer
       from (select hour, pending from event_stats union all select hour, pending from event_stat_deltas) counts
       where ${ofDay}) as pending`,
};

/** The statistics of a day. */
export interface DayCounts {
  /**
   * The number of deltas that are not folded yet. Every change of a day's counted events adds a delta. So while folding
   * is locked, an equal number means that nothing has changed.
   */
  deltas: number;
  /** The number of pending events. It is updated in the same transaction as the events. */
  pending: number;
}

export async function readDayCounts(sql: Sql, day: Date): Promise<DayCounts> {
  const [row] = await sql.query<DayCounts>(readCounts, [day]);
  if (!row) throw new Error('read_counts_of_day returned no row');
  return row;
}

const forgetCounts = { name: 'forget_counts_of_day', text: `delete from event_stats where ${ofDay}` };
const forgetValues = { name: 'forget_values_of_day', text: 'delete from event_values where day = $1::date' };

/** Deletes the folded counts of a day's events, but not the deltas. */
export async function forgetDay(sql: Sql, day: Date): Promise<void> {
  await sql.query(forgetCounts, [day]);
  await sql.query(forgetValues, [isoDay(day)]);
}

const forgetDeltas = {
  name: 'forget_deltas_of_day',
  text: `with gone as (delete from event_stat_deltas where ${ofDay} returning 1) select count(*)::integer as n from gone`,
};

/** Deletes the deltas of a day. @returns their number. */
export async function forgetDayDeltas(sql: Sql, day: Date): Promise<number> {
  const [row] = await sql.query<{ n: number }>(forgetDeltas, [day]);
  return row?.n ?? 0;
}
