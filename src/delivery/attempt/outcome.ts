import type { AttemptRequest, AttemptResult } from '../../../workflows/messages.ts';
import type { AttemptRow } from '../../events/attempt-row.ts';
import type { Outcome } from '../../events/outcome.ts';
import type { Recorded } from '../../events/transitions/attempt-recorded.ts';
import { nextDelayMs, spanLimitOf } from '../backoff.ts';
import { failureOutcomes } from '../failure.ts';
import { afterAttempt, exhaustedNow } from './decide.ts';
import type { Posted } from './post.ts';

/** The outcomes that an attempt can have. */
export const attemptOutcomes: readonly Posted['outcome'][] = [
  ...['delivered', 'http_error'],
  ...failureOutcomes,
  ...['no_delivery_url', 'secret_unreadable'],
];

/**
 * What is recorded of an attempt that was made, with the time of the next one if it failed.
 *
 * @param made `startedAt` by the clock of PostgreSQL; `pauseEndedAt`: when the last pause of the account or the
 *   consumer ended; `claimToken` as in `AttemptOptions`; `random` for the jitter.
 */
export function outcomeOf(
  row: AttemptRow,
  request: AttemptRequest,
  posted: Posted,
  made: { startedAt: Date; pauseEndedAt: Date | null; claimToken: string | null; random: () => number },
): Outcome {
  const { startedAt, pauseEndedAt, claimToken, random } = made;
  const { delaysMs } = request.schedule;
  const { retryAfterMs, final, ...result } = posted;
  const isLast = request.trigger === 'schedule' && (final || request.number > delaysMs.length);
  const endedMs = row.nowMs();
  const delayMs =
    posted.succeeded || isLast || request.trigger === 'manual'
      ? null
      : nextDelayMs({
          delaysMs,
          number: request.number,
          retryAfterMs,
          // Time in a pause does not count against the consumer, so the time limit restarts at the end of a pause.
          elapsedMs: endedMs - Math.max(...[row.generationAt, row.resumedAt, pauseEndedAt].map(Number)),
          ...(row.consumer.options?.delaysMs && { limitMs: spanLimitOf(delaysMs) }),
          random,
        });
  return {
    eventId: row.eventId,
    generation: request.generation,
    trigger: request.trigger,
    number: request.number,
    startedAt,
    waitedMs: waitedMs(row, request, startedAt),
    ...result,
    last: isLast,
    nextAttemptAt: delayMs === null ? null : new Date(endedMs + delayMs),
    claimToken,
  };
}

/** How long the attempt has waited since it was due; null for a manual one, whose request is not in the row. */
function waitedMs(row: AttemptRow, { trigger, number }: AttemptRequest, startedAt: Date): number | null {
  if (trigger === 'manual') return null;
  // The start of a workflow sets the time of the first attempt, too. A later attempt that waited in the queue has none.
  const dueAt = number === 1 ? row.generationAt : row.nextAttemptAt;
  return dueAt === null ? null : Math.max(0, startedAt.getTime() - dueAt.getTime());
}

/** What the workflow or the relay is told of an attempt. `recorded` is null if its event no longer exists. */
export function resultOf(outcome: Outcome, recorded: Recorded | null, nowMs: number): AttemptResult {
  const { responseCode, durationMs } = outcome;
  const answer = {
    outcome: outcome.outcome,
    ...(responseCode === null ? {} : { responseCode }),
    durationMs: Math.round(durationMs),
  };
  return { ...answer, ...consequenceOf(outcome, recorded, nowMs) };
}

function consequenceOf(outcome: Outcome, recorded: Recorded | null, nowMs: number): AttemptResult {
  if (!recorded) return { kind: 'stopped', reason: 'event_gone' };
  if (recorded.exhausted) return exhaustedNow;
  const { succeeded, trigger, last, generation, nextAttemptAt } = outcome;
  const isCurrent = recorded.generation === generation;
  const isLast = last && !recorded.recorded;
  return afterAttempt({ ...recorded, nextAttemptAt }, { trigger, succeeded, isCurrent, isLast }, nowMs);
}
