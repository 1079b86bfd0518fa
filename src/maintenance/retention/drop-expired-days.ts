import type { Database } from '../../database/database.ts';
import { partitionDays } from '../../database/partitions.ts';
import { dayMs, isoDay } from '../../database/uuid-time.ts';
import type { Log } from '../../shared/log.ts';
import { dropDay, type KeptReason } from './drop-day.ts';

export interface DroppedDays {
  /** `2026-11-20`, oldest first. */
  dropped: string[];
  /** Expired, but still there: `busy` ones may go the next time. */
  kept: { day: string; reason: KeptReason }[];
}

/**
 * Drops the days (UTC) that ended more than `olderThanDays` ago: their events with payloads, attempts and notifications, and
 * what was counted of them. Never one that holds pending events. Waits for no lock longer than a moment: a day that a
 * backup or a long list reads is left for the next time.
 *
 * @param options.olderThanDays a whole number, 1 or more: deduplication looks back 24 hours
 * @param options.signal ends it before the next day
 * @throws RangeError for fewer days; what the database throws, or the signal's reason, and then the days before are dropped.
 */
export async function dropExpiredDays(
  database: Database,
  options: { olderThanDays: number; now?: Date; log: Log; signal?: AbortSignal },
): Promise<DroppedDays> {
  const { olderThanDays, now = new Date(), log, signal } = options;
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
        log.info({ day, durationMs, lockedMs }, 'dropped a day of events');
        result.dropped.push(day);
        break;
      }
      case 'kept':
        log.info({ day, reason: outcome.reason }, 'a day of events has expired, but is kept for now');
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
