/**
 * PostgreSQL's clock as of a moment at which it was read: the time in milliseconds since 1970, at the time of each call. All
 * processes then agree on the time, even if the clock of a process's machine is wrong or jumps.
 *
 * @param readAt `clock_timestamp()` of a statement whose rows have just arrived.
 */
export function databaseClock(readAt: Date): () => number {
  const aheadMs = readAt.getTime() - performance.now();
  return () => Math.round(aheadMs + performance.now());
}
