import type { AttemptName } from './event.ts';

/** The result of one attempt, to be recorded. */
export interface Outcome extends AttemptName {
  startedAt: Date;
  durationMs: number;
  /** From when the attempt was due until it began; null or absent when unknown. */
  waitedMs?: number | null;
  /** The parts of `durationMs`: until the request could be sent, and then until the head of the answer. */
  connectMs?: number | null;
  answerMs?: number | null;
  outcome: string;
  responseCode: number | null;
  responseBody: string | null;
  /**
   * Names and values in their order, with secrets masked. Null or absent: nothing was sent, there was no answer, or they
   * are not stored.
   */
  requestHeaders?: readonly (readonly [string, string])[] | null;
  responseHeaders?: readonly (readonly [string, string])[] | null;
  error: string | null;
  /** The request's URL, without credentials; null when nothing was sent. */
  url: string | null;
  /** Whether the consumer answered 2xx. */
  succeeded: boolean;
  /** Whether this was the last scheduled attempt, whose failure ends the delivery. */
  last: boolean;
  nextAttemptAt: Date | null;
  /** The token of the relay's claim, if the relay made the attempt. If the claim was lost, nothing is recorded. */
  claimToken: string | null;
}
