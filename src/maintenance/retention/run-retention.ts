import type { MaintenanceCounts } from '../../../workflows/maintenance-messages.ts';
import { databaseNowMs } from '../../database/clock.ts';
import type { Database } from '../../database/database.ts';
import { daysAhead, ensurePartitions } from '../../database/partitions.ts';
import type { Log } from '../../shared/log.ts';
import { dropExpiredDays } from './drop-expired-days.ts';
import { expireRows } from './expire-rows.ts';

/**
 * Creates the partitions of the coming days, deletes expired rows, and drops expired days unless events are kept
 * forever.
 *
 * @param olderThanDays the age of expired days; null keeps all events
 * @param signal ends the function before the next batch or day
 */
export async function retainEvents(
  deps: { database: Database; log: Log },
  olderThanDays: number | null,
  signal: AbortSignal,
): Promise<MaintenanceCounts> {
  const { database, log } = deps;
  const now = new Date(await databaseNowMs(database));
  await ensurePartitions(database, now, daysAhead);
  const expired = { ...(await expireRows(database, { eventRetentionDays: olderThanDays, now, signal })) };
  if (olderThanDays === null) return expired;
  const { dropped, kept } = await dropExpiredDays(database, { olderThanDays, now, log, signal });
  const keptFor = (wanted: (typeof kept)[number]['reason']) => kept.filter(({ reason }) => reason === wanted);
  const busy = keptFor('busy');
  // A single failure is harmless. But a backup that overlaps every run of this task would keep the days forever.
  if (busy.length > 0)
    log.warn(
      { days_kept_busy: busy.length, oldest: busy[0]?.day },
      'expired days not dropped, a long transaction such as a backup reads the tables; the next run retries',
    );
  return {
    ...expired,
    days_dropped: dropped.length,
    days_kept_pending: keptFor('pending_events').length,
    days_kept_dedup_keys: keptFor('dedup_keys').length,
    days_kept_busy: busy.length,
  };
}
