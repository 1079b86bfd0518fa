import { STATUS_CODES } from 'node:http';
import type { DemoAttempt, DemoEvent } from './gateway.ts';

/** `4 ms`, `9.8 s`, `2 m 05 s`. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`;
}

/** `text`, at most `width` characters long. */
export const cut = (text: string, width: number) => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);

/** One attempt as a line of at most 80 columns: time, number, answer, next step. */
export function attemptLine(attempt: DemoAttempt, event: DemoEvent): string {
  const sinceMs = Date.parse(attempt.started_at) - Date.parse(event.received_at);
  const code = attempt.response_code;
  const answer = code === null ? attempt.outcome : `${code} ${STATUS_CODES[code] ?? ''}`.trim();
  const when = `+${span(sinceMs)}`.padStart(10);
  return `${when}  attempt ${String(attempt.number).padEnd(2)}  ${cut(answer, 25).padEnd(25)}  ${span(attempt.duration_ms).padStart(6)}  ${next(attempt, event)}`.trimEnd();
}

/** The next step after an attempt. It is known for the last attempt only, and empty for earlier ones. */
function next(attempt: DemoAttempt, event: DemoEvent): string {
  if (attempt.outcome === 'delivered') return 'delivered';
  if (attempt !== event.delivery_history.at(-1)) return '';
  if (event.next_attempt_at === null) return event.delivery_status === 'failed' ? 'failed for good' : '';
  const endedMs = Date.parse(attempt.started_at) + attempt.duration_ms;
  return `next in ${span(Date.parse(event.next_attempt_at) - endedMs)}`;
}
