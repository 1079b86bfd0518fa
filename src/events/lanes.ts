/**
 * The lanes of `event_queue` (the column `lane`): what a queued event still needs. Each lane is claimed
 * separately, so that a backlog in one lane does not delay another.
 *
 * SQL functions in migrations/functions/ use the numbers, with their meaning in a comment.
 */
export const lanes = {
  /** The event needs its first attempt, then its workflow. */
  firstAttempt: 0,
  /**
   * The event needs its workflow soon: for the next attempt of a pending event that was already attempted or held, or for
   * the notifications of one that its first attempt has exhausted. With the column `direct`, an api makes the next attempt
   * first (src/events/transitions/queued-to-wait.ts).
   */
  pendingStart: 1,
  /** The delivery has ended. The workflow only makes the event visible in Temporal, so these are started last. */
  settledStart: 2,
} as const;

/** The lanes of events that only need their workflow. */
export type StartLane = typeof lanes.pendingStart | typeof lanes.settledStart;
