import type { Sql } from '../../../src/database/sql.ts';
import type { ClaimName } from '../../../src/events/queue.ts';
import type { OutcomeRecorder } from '../../../src/events/transitions/attempt-recorded.ts';
import { markStartedEvents } from '../../../src/events/transitions/started.ts';
import { outcomeOf } from '../../support/received.ts';

/** Removes claimed events from the queue, as the dispatcher does after the start of their workflows. */
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
  const recorded = await Promise.all(
    claims.map(({ token, ...attempt }) =>
      recorder.record(
        outcomeOf(attempt.eventId, {
          ...{ ...attempt, claimToken: token },
          ...{ responseBody: null, url: 'http://127.0.0.1/hook' },
        }),
      ),
    ),
  );
  return recorded.filter((outcome) => outcome?.recorded).length;
}
