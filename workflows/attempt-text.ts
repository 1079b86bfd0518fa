import type { Answer, LastAttempt } from './messages.ts';

// What people read of attempts in the Web UI. Our own words and codes only: what the consumer has answered may hold
// payloads, and payloads never travel through Temporal.

/** `500 in 12 ms`, `timeout in 15000 ms`; null where nothing was sent. */
export function answerText({ outcome, responseCode, durationMs }: Answer): string | null {
  if (outcome === undefined) return null;
  const isPlain = outcome === 'delivered' || outcome === 'http_error';
  const answer = responseCode === undefined ? outcome : isPlain ? String(responseCode) : `${responseCode}, ${outcome}`;
  return durationMs === undefined ? answer : `${answer} in ${durationMs} ms`;
}

/** `attempt 3 of 10`. A workflow that starts after the end of its schedule makes one more, which is the last. */
export const attemptName = (number: number, delaysMs: readonly number[]) =>
  `attempt ${number} of ${Math.max(number, delaysMs.length + 1)}`;

/** `attempt 1 of 10: 500 in 12 ms (2026-11-26 08:03:10 UTC)`. */
export const attemptText = (attempt: LastAttempt, delaysMs: readonly number[]) =>
  `${attemptName(attempt.number, delaysMs)}: ${answerText(attempt) ?? 'made'} (${timeText(Date.parse(attempt.at))})`;

/** `2026-11-26 08:03:10 UTC`. */
export const timeText = (atMs: number) => `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** `90 s`, `15 min`. */
export const waitText = (waitMs: number) =>
  waitMs < 120_000 ? `${Math.max(1, Math.round(waitMs / 1_000))} s` : `${Math.round(waitMs / 60_000)} min`;
