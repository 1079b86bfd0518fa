/** The part of a UUIDv7 that has its millisecond. */
const millisecond = '01234567-89ab'.length;
const first = '-0000-0000-000000000000';
const last = '-ffff-ffff-ffffffffffff';

/**
 * The range of the lowest and the highest of some ids, widened to whole milliseconds, so that it contains all events of
 * their webhooks. A statement that names this range lets PostgreSQL prune the partitions of other days before execution.
 * With 32 days, a statement took 0.13 ms instead of 0.77 ms.
 *
 * Do not use it in an UPDATE that may wait for another transaction's change of the same rows: such an UPDATE can lose
 * the change (migrations/functions/lock_events.sql).
 */
export function idRange(ids: readonly string[]): [low: string | null, high: string | null] {
  let [low] = ids;
  let high = low;
  for (const id of ids) {
    if (low === undefined || id < low) low = id;
    if (high === undefined || id > high) high = id;
  }
  if (low === undefined || high === undefined) return [null, null];
  return [low.slice(0, millisecond) + first, high.slice(0, millisecond) + last];
}

/**
 * The end of the ids of the webhooks of all events below `high`, exclusive. The id of a webhook may be higher than that of
 * its event, within the same millisecond.
 */
export const endOfWebhooks = (high: string): string =>
  high.endsWith(first) ? high : high.slice(0, millisecond) + last;
