/**
 * The lowest and the highest of some ids. A statement that names them lets PostgreSQL leave out the days it need not look
 * at before it begins: measured with 32 days, that is 0.13 ms for a statement instead of 0.77.
 *
 * Not for an UPDATE that may have to wait for somebody else's change of its rows: see the functions of
 * migrations/functions/lock_events.sql.
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
