/** All attempts of a generation fit into this much time, whatever consumers ask for (docs/delivery.md). */
export const spanLimitMs = 4 * 60 * 60 * 1000;

/** Spreads the retries of events that failed together, and keeps the order of delays. */
const jitter = 0.1;

export type NextDelayInput = {
  /** The waits between the attempts, in milliseconds: nine for ten attempts. */
  delaysMs: readonly number[];
  /** The scheduled attempt that just failed, from 1. */
  number: number;
  /** What the consumer asked for with `Retry-After`, in milliseconds. */
  retryAfterMs: number | null;
  /** Time since the generation began, in milliseconds. */
  elapsedMs: number;
  /** From 0 to 1, as `Math.random`. */
  random: () => number;
};

/**
 * Milliseconds to wait before attempt `number + 1`; null when there is none, because the last one failed.
 *
 * The schedule's delay varies by ±10 %. `Retry-After` lengthens it, never shortens it, and only by what fits: 4 h less the
 * time gone and the delays that are still to come after this one.
 */
export function nextDelayMs({ delaysMs, number, retryAfterMs, elapsedMs, random }: NextDelayInput): number | null {
  const delayMs = delaysMs[number - 1];
  if (delayMs === undefined) return null;
  const ordinaryMs = Math.round(delayMs * (1 - jitter + 2 * jitter * random()));
  const laterMs = delaysMs.slice(number).reduce((sum, later) => sum + later, 0);
  const roomMs = Math.floor(spanLimitMs - elapsedMs - laterMs);
  return Math.max(ordinaryMs, Math.min(Math.ceil(retryAfterMs ?? 0), roomMs));
}
