/**
 * The lowest and the highest of some ids. A statement that names them lets PostgreSQL leave out the days it need not look
 * at before it begins: measured with 32 days, that is 0.13 ms for a statement instead of 0.77.
 *
 * For SELECT only: an UPDATE (of or from a partitioned table) that names the range changes no row at all, without an error,
 * when it had to wait for somebody else's change of that row (PostgreSQL 18; test/events/locked-rows.test.ts).
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
