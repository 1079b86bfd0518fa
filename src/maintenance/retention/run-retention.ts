import type { MaintenanceCounts } from '../../../workflows/maintenance-messages.ts';
import type { Database } from '../../database/database.ts';
import { daysAhead, ensurePartitions } from '../../database/partitions.ts';
import type { Log } from '../../shared/log.ts';
import { dropExpiredDays } from './drop-expired-days.ts';
import { expireRows } from './expire-rows.ts';

/**
 * Makes the coming days' partitions, deletes what has expired, and, where events are not kept for good, old days.
 *
 * @param signal ends it before the next batch or day
 */
export async function retainEvents(
  deps: { database: Database; log: Log },
  olderThanDays: number | null,
  signal: AbortSignal,
): Promise<MaintenanceCounts> {
  const { database, log } = deps;
  await ensurePartitions(database, new Date(), daysAhead);
  const expired = { ...(await expireRows(database, { eventRetentionDays: olderThanDays, signal })) };
  if (olderThanDays === null) return expired;
  const { dropped, kept } = await dropExpiredDays(database, { olderThanDays, log, signal });
  const keptFor = (wanted: (typeof kept)[number]['reason']) => kept.filter(({ reason }) => reason === wanted);
  const busy = keptFor('busy');
  // Once is nothing; a backup that lasts into every run of this task keeps them for ever.
  if (busy.length > 0)
    log.warn(
      { days_kept_busy: busy.length, oldest: busy[0]?.day },
      'expired days of events are still there: something reads the tables for long, a backup for instance; the next run tries again',
    );
  return {
    ...expired,
    days_dropped: dropped.length,
    days_kept_pending: keptFor('pending_events').length,
    days_kept_busy: busy.length,
  };
}
