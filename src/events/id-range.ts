/**
 * The lowest and the highest of some ids. A statement that names this range lets PostgreSQL prune the partitions of
 * other days before execution. With 32 days, a statement took 0.13 ms instead of 0.77 ms.
 *
 * Do not use it in an UPDATE that may wait for another transaction's change of the same rows: such an UPDATE can lose
 * the change (migrations/functions/lock_events.sql).
 */
export function idRange(ids: readonly string[]): [low: string | null, high: string | null] {
  let [low = null] = ids;
  let high = low;
  for (const id of ids) {
    if (low === null || id < low) low = id;
    if (high === null || id > high) high = id;
  }
  return [low, high];
}
