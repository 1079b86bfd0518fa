import type { AttemptRow } from '../../events/attempt-row.ts';

/**
 * An event whose states were read longer ago than this is read again before its attempt, because operators may have changed it
 * or its account. Measured by a clock that no change of the system's time affects.
 */
const freshMs = 1_000;
export const isFresh = ({ readMs }: AttemptRow) => performance.now() - readMs < freshMs;
