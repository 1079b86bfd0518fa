/** `Retry-After` moves no attempt beyond 4 h after the generation began (docs/delivery.md). The schedule itself may. */
export const spanLimitMs = 4 * 60 * 60 * 1000;

/** The same for the schedule of a consumer: 1.5 times its delays. That is about what 4 h are of the usual schedule. */
export const spanLimitOf = (delaysMs: readonly number[]) => delaysMs.reduce((sum, delay) => sum + delay, 0) * 1.5;

/** ±10 %. Spreads the retries of events that failed together, and is too small to change the order of the delays. */
const jitter = 0.1;

export type NextDelayInput = {
  /** The delays between the attempts, in milliseconds: nine for ten attempts. */
  delaysMs: readonly number[];
  /** The scheduled attempt that just failed, from 1. */
  number: number;
  /** The consumer's `Retry-After`, in milliseconds. */
  retryAfterMs: number | null;
  /** Time since the generation began, in milliseconds. */
  elapsedMs: number;
  /** Beyond which `Retry-After` moves no attempt, in milliseconds since the generation began; `spanLimitMs` by default. */
  limitMs?: number;
  /** From 0 to 1, as `Math.random`. */
  random: () => number;
};

/**
 * Milliseconds to wait before attempt `number + 1`; null after the last attempt.
 *
 * The schedule's delay varies by ±10 %. `Retry-After` can lengthen it but not shorten it, to at most `limitMs` less
 * the elapsed time and less the delays after this one.
 */
export function nextDelayMs({
  delaysMs,
  number,
  retryAfterMs,
  elapsedMs,
  limitMs = spanLimitMs,
  random,
}: NextDelayInput): number | null {
  const delayMs = delaysMs[number - 1];
  if (delayMs === undefined) return null;
  const ordinaryMs = Math.round(delayMs * (1 - jitter + 2 * jitter * random()));
  const laterMs = delaysMs.slice(number).reduce((sum, later) => sum + later, 0);
  const roomMs = Math.floor(limitMs - elapsedMs - laterMs);
  return Math.max(ordinaryMs, Math.min(Math.ceil(retryAfterMs ?? 0), roomMs));
}
