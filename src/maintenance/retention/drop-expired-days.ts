import { databaseNowMs } from '../../database/clock.ts';
import type { Database } from '../../database/database.ts';
import { partitionDays } from '../../database/partitions.ts';
import { dayMs, isoDay } from '../../database/uuid-time.ts';
import type { Log } from '../../shared/log.ts';
import { dropDay, type KeptReason } from './drop-day.ts';

export interface DroppedDays {
  /** `2026-11-20`, oldest first. */
  dropped: string[];
  /** Expired days that were not dropped. A `busy` one may be dropped in the next run. */
  kept: { day: string; reason: KeptReason }[];
}

/**
 * Drops the days (UTC) that ended more than `olderThanDays` days ago, with their events, payloads, attempts,
 * notifications and statistics. A day with pending events or deduplication keys is kept. It waits only briefly for locks: a day that is being
 * read by a backup or a long list is kept until the next run.
 *
 * @param options.olderThanDays a whole number, 1 or more, because deduplication covers at least the last 24 hours
 * @param options.now by default the time of PostgreSQL's clock: that of a worker may be wrong
 * @param options.signal ends the function before the next day
 * @throws RangeError for fewer days; otherwise the database's error or the signal's reason. Earlier days are dropped
 *   then.
 */
export async function dropExpiredDays(
  database: Database,
  options: { olderThanDays: number; now?: Date; log: Log; signal?: AbortSignal },
): Promise<DroppedDays> {
  const { olderThanDays, now = new Date(await databaseNowMs(database)), log, signal } = options;
  if (!Number.isInteger(olderThanDays) || olderThanDays < 1)
    throw new RangeError('only days that ended one day ago or more are dropped');
  const endedBeforeMs = now.getTime() - olderThanDays * dayMs;
  const result: DroppedDays = { dropped: [], kept: [] };
  for (const midnight of await partitionDays(database)) {
    if (midnight.getTime() + dayMs >= endedBeforeMs) break;
    signal?.throwIfAborted();
    const day = isoDay(midnight);
    const startedMs = performance.now();
    const outcome = await dropDay(database, midnight);
    switch (outcome.kind) {
      case 'dropped': {
        const [durationMs, lockedMs] = [performance.now() - startedMs, outcome.lockedMs].map(Math.round);
        log.info({ day, durationMs, lockedMs }, 'day of events dropped');
        result.dropped.push(day);
        break;
      }
      case 'kept':
        log.info({ day, reason: outcome.reason }, 'expired day of events kept');
        result.kept.push({ day, reason: outcome.reason });
        break;
      case 'gone':
        break;
      default:
        outcome satisfies never;
    }
  }
  return result;
}
