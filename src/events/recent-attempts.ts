import type { Sql } from '../database/sql.ts';
import type { DeliveryStats } from './delivery-schemas.ts';

/** Long enough for a rate of some use at one attempt a minute, and short enough that an outage shows at once. */
const minutes = 15;

// Attempts are in rows with an empty provider: one for each minute, and the deltas that are not folded yet.
const readRecentAttempts = {
  name: '',
  text: `
    with span as (select date_trunc('minute', now()) - make_interval(mins => $1::integer - 1) as first)
    select coalesce(sum(attempts), 0)::double precision as attempts, coalesce(sum(failed_attempts), 0)::double precision as failed
    from (
      select attempts, failed_attempts from event_series where minutes = 1 and provider = '' and at >= (select first from span)
      union all select attempts, failed_attempts from event_stat_deltas where provider = '' and minute >= (select first from span)
    ) counted`,
};

/** Reads how the attempts of the last minutes ended, scheduled and manual ones. */
export async function recentAttempts(sql: Sql): Promise<DeliveryStats['recent_attempts']> {
  const [row] = await sql.query<{ attempts: number; failed: number }>(readRecentAttempts, [minutes]);
  const { attempts = 0, failed = 0 } = row ?? {};
  return {
    ...{ minutes, attempts, failed_attempts: failed },
    success_rate: attempts === 0 ? null : (attempts - failed) / attempts,
  };
}
