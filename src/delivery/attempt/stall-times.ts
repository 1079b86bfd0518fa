/**
 * Temporal gives an attempt to another process if the heartbeats of this one are missing for 8 s (workflows/activities.ts).
 * The last of them may have been sent 4 s before the stall (src/temporal/worker-options.ts).
 */
export const stallMs = 4_000;
/** What was received during a stall is handled within this time. */
export const afterStallMs = 1_000;
