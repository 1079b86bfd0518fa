/** Waits between the five tries of a notification (docs/notifications.md): those who should know do not hear of it hours later. */
export const defaultWaitsMs: readonly number[] = [1_000, 5_000, 30_000, 120_000];

/** A service that asks for more than this will be asked again then; it may have forgotten by now what it said. */
export const longestWaitMs = 60 * 60_000;

/**
 * Milliseconds until the next try; null when there is none, because the last one failed. `Retry-After` lengthens a wait, up
 * to an hour, and never shortens it.
 *
 * @param attempt the try that just failed, from 1
 */
export function nextWaitMs(waitsMs: readonly number[], attempt: number, retryAfterMs: number | null): number | null {
  const waitMs = waitsMs[attempt - 1];
  if (waitMs === undefined) return null;
  return Math.max(waitMs, Math.min(retryAfterMs ?? 0, longestWaitMs));
}
