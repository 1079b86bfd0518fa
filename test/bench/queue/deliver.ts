import type { Sql } from '../../../src/database/sql.ts';
import type { ClaimName } from '../../../src/events/queue.ts';
import type { OutcomeRecorder } from '../../../src/events/transitions/attempt-recorded.ts';
import { markStartedEvents } from '../../../src/events/transitions/started.ts';

/** Removes claimed events from the queue, as the relay does after the start of their workflows. */
export const removeStarted = (sql: Sql, claims: ClaimName[]): Promise<void> =>
  markStartedEvents(
    sql,
    claims.map((claimed) => ({ ...claimed, runId: null })),
  );

/**
 * Records the first attempts of claimed events as delivered.
 *
 * @returns how many were recorded; an event that had been claimed before is not recorded again
 */
export async function recordDelivered(recorder: OutcomeRecorder, claims: ClaimName[]): Promise<number> {
  const recorded = await Promise.all(claims.map((claimed) => recorder.record(delivered(claimed))));
  return recorded.filter((outcome) => outcome?.recorded).length;
}

const delivered = ({ eventId, generation, token }: ClaimName) => ({
  eventId,
  generation,
  trigger: 'schedule' as const,
  number: 1,
  startedAt: new Date(),
  durationMs: 1,
  outcome: 'delivered',
  responseCode: 200,
  responseBody: null,
  error: null,
  url: 'http://127.0.0.1/hook',
  succeeded: true,
  last: false,
  nextAttemptAt: null,
  claimToken: token,
});
