/**
 * Waits between the five tries of a notification (docs/notifications.md). Short, because a late alert is of little use.
 */
export const defaultWaitsMs: readonly number[] = [1_000, 5_000, 30_000, 120_000];

/** The error of a notification or summary whose last try has no recorded outcome. */
export const outcomeUnknown = 'the worker ended during the last try; it may have arrived';

/** The longest wait that `Retry-After` can cause. Longer values are cut. */
export const longestWaitMs = 60 * 60_000;

/** For how long answers that ask to wait use up no try. After a day, a late message says nothing new. */
const patienceMs = 24 * 60 * 60_000;

/** What follows a failed try. */
export interface NextTry {
  waitMs: number;
  /** False if the service has asked to wait: it has not looked at the message. */
  usesTry: boolean;
}

/** A failed try, to be recorded. */
export interface FailedTry {
  attempt: number;
  error: string;
  /** Until the next try; null when there is none. */
  waitMs: number | null;
  /** False gives the try back. See {@link NextTry}. */
  usesTry: boolean;
}

/**
 * The next try; null after the last one. `Retry-After` can lengthen a wait up to an hour, but not shorten it. Services
 * limit their clients to about a message a second (Slack), and refuse most of a burst of messages several times. So a
 * service that asks to wait uses up no try. The waits grow with the age of the message, up to the last of `waitsMs`, so
 * that a burst does not become a flood of requests.
 *
 * @param failed.attempt the try that just failed, from 1
 * @param failed.ageMs milliseconds since the event failed, or the incident changed
 */
export function nextTry(
  waitsMs: readonly number[],
  { attempt, retryAfterMs, ageMs }: { attempt: number; retryAfterMs: number | null; ageMs: number },
): NextTry | null {
  const askedMs = Math.min(retryAfterMs ?? 0, longestWaitMs);
  if (retryAfterMs !== null && ageMs < patienceMs)
    return { waitMs: Math.max(askedMs, Math.ceil(Math.min(ageMs / 2, waitsMs.at(-1) ?? 0))), usesTry: false };
  const waitMs = waitsMs[attempt - 1];
  return waitMs === undefined ? null : { waitMs: Math.max(waitMs, askedMs), usesTry: true };
}
