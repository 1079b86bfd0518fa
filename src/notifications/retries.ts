/**
 * Waits between the five tries of a notification (docs/notifications.md). Short, because a late alert is of little use.
 */
export const defaultWaitsMs: readonly number[] = [1_000, 5_000, 30_000, 120_000];

/** The error of a notification or summary whose last try has no recorded outcome. */
export const outcomeUnknown = 'the worker ended during the last try; it may have arrived';

/** The longest wait that `Retry-After` can cause. Longer values are cut. */
export const longestWaitMs = 60 * 60_000;

/**
 * Milliseconds until the next try; null after the last one. `Retry-After` can lengthen a wait up to an hour, but not
 * shorten it.
 *
 * @param attempt the try that just failed, from 1
 */
export function nextWaitMs(waitsMs: readonly number[], attempt: number, retryAfterMs: number | null): number | null {
  const waitMs = waitsMs[attempt - 1];
  if (waitMs === undefined) return null;
  return Math.max(waitMs, Math.min(retryAfterMs ?? 0, longestWaitMs));
}
