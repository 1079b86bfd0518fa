import type { Sql } from '../database/sql.ts';
import { uuidFloor } from '../database/uuid-time.ts';
import type { DeliveryStats } from './delivery-schemas.ts';

/** Enough for a p99, and some 10 ms of index lookups. */
const measuredEvents = 1_000;
const recentMs = 24 * 60 * 60_000;

const readDelays = {
  name: '',
  // The clocks of api and database may differ a little. `greatest` leaves out null.
  text: `
    select count(*)::integer as events, percentile_cont(array[0.5, 0.95, 0.99]) within group (order by ms) as percentiles
    from (
      select greatest(0, extract(epoch from d.started_at - greatest(e.received_at, e.backfilled_at)) * 1000)::double precision as ms
      from (select id, received_at, backfilled_at from events where id >= $1 order by id desc limit ${measuredEvents}) e
      join delivery_attempts d on d.event_id = e.id and d.event_id >= $1 and d.generation = 0 and d.trigger = 'schedule' and d.number = 1
    ) delays`,
};

const tenths = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms * 10) / 10);

/**
 * Measures the first attempts of the newest 1,000 events of the last 24 hours. Use `database.reader`, whose plans leave
 * out other days.
 */
export async function firstAttemptDelay(sql: Sql): Promise<DeliveryStats['first_attempt_delay_ms']> {
  const [row] = await sql.query<{ events: number; percentiles: number[] | null }>(readDelays, [
    uuidFloor(new Date(Date.now() - recentMs)),
  ]);
  const [p50, p95, p99] = (row?.percentiles ?? []).map(tenths);
  return { events: row?.events ?? 0, p50: p50 ?? null, p95: p95 ?? null, p99: p99 ?? null };
}
