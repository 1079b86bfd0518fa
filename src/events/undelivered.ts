import type { Sql } from '../database/sql.ts';
import { type EventRow, eventColumns } from './event.ts';
import { listEvents } from './list.ts';
import { windowsBack } from './windows.ts';

/** How many a list has (R65). */
const mostEvents = 200;

/** Events whose delivery has failed after all its attempts, or was ended: the newest ones, at most 200. */
export function listFailed(sql: Sql): Promise<EventRow[]> {
  return listEvents(sql, { delivery_status: 'failed', limit: mostEvents, offset: 0 });
}

const retryingInWindow = {
  name: '',
  text: `select ${eventColumns} from events e where e.id >= $1 and e.id < $2 and e.retries >= $3 order by e.retries desc, e.id desc limit $4`,
};

/**
 * Pending events with at least one failed attempt: those with the most attempts first, then the newest, at most 200.
 *
 * @param options `minAttempts` leaves out those with fewer.
 */
export async function listRetrying(sql: Sql, options: { minAttempts?: number | undefined } = {}): Promise<EventRow[]> {
  let first: EventRow[] = [];
  let least = Math.max(1, options.minAttempts ?? 1);
  for (const { low, high } of await windowsBack(sql)) {
    const found = await sql.query<EventRow>(retryingInWindow, [low, high, least, mostEvents]);
    // Older ones go behind the newer ones of as many attempts.
    first = [...first, ...found].sort((a, b) => b.attempts - a.attempts).slice(0, mostEvents);
    const last = first[mostEvents - 1];
    if (last) least = last.attempts + 1;
  }
  return first;
}
