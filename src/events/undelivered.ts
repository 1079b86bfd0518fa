import type { Sql } from '../database/sql.ts';
import { type EventRow, eventColumns } from './event.ts';
import type { WithinAccounts } from './event-filters.ts';
import { listEvents } from './list.ts';
import { windowsBack } from './windows.ts';

/** The length limit of both lists (R65). */
const mostEvents = 200;

/** Lists the newest events whose delivery has failed (exhausted or ended by an operator), at most 200. */
export function listFailed(sql: Sql, { accountIds }: WithinAccounts = {}): Promise<EventRow[]> {
  return listEvents(sql, { accountIds, delivery_status: 'failed', limit: mostEvents, offset: 0 });
}

const retryingInWindow = {
  name: '',
  text: `select ${eventColumns} from events e where e.id >= $1 and e.id < $2 and e.retries >= $3
    and ($5::uuid[] is null or e.account_id = any($5)) order by e.retries desc, e.id desc limit $4`,
};

/**
 * Lists pending events with at least one failed attempt: most attempts first, then newest first, at most 200.
 *
 * @param options `minAttempts`: leaves out events with fewer attempts.
 */
export async function listRetrying(
  sql: Sql,
  options: { minAttempts?: number | undefined } & WithinAccounts = {},
): Promise<EventRow[]> {
  let first: EventRow[] = [];
  let least = Math.max(1, options.minAttempts ?? 1);
  for (const { low, high } of await windowsBack(sql)) {
    const found = await sql.query<EventRow>(retryingInWindow, [
      low,
      high,
      least,
      mostEvents,
      options.accountIds ?? null,
    ]);
    // The sort is stable: with the same number of attempts, events of this older window come after the newer ones.
    first = [...first, ...found].sort((a, b) => b.attempts - a.attempts).slice(0, mostEvents);
    const last = first[mostEvents - 1];
    if (last) least = last.attempts + 1;
  }
  return first;
}
