/**
 * The lanes of `event_queue`, as the column `lane` has them: what an event still needs. The relay claims each lane on its own, so
 * that a backlog of one does not delay another.
 *
 * SQL functions in migrations/functions/ name the numbers in comments.
 */
export const lanes = {
  /** Its first attempt, and then its workflow. */
  firstAttempt: 0,
  /** Its workflow, which makes the next attempt: it is pending, and was attempted or held already. */
  pendingStart: 1,
  /** Its workflow, which only records: its delivery has ended. The last to be started. */
  settledStart: 2,
} as const;

/** The lanes of events that wait for their workflow only. */
export type StartLane = typeof lanes.pendingStart | typeof lanes.settledStart;
