import type { Sql } from '../../src/database/database.ts';
import { sweep } from '../../src/events/sweep.ts';
import type { Log } from '../../src/log.ts';
import { overdueNotifications } from '../../src/notifications/notification-store.ts';
import type { UpkeepCounts } from '../../workflows/upkeep-messages.ts';
import type { Notifier } from '../notify/notifier.ts';
import { inFlightPerDestination } from '../notify/turns.ts';

const eventsAtOnce = 500;

export interface SweepDeps {
  sql: Sql;
  notifier: Notifier;
  /** Seconds past its time after which an event or a notification is looked for. */
  overdueS: number;
  log: Log;
}

/** What the workers look for all the time, once: events that want a workflow, and notifications that nobody has sent. */
export async function sweepOverdue(deps: SweepDeps, signal: AbortSignal): Promise<UpkeepCounts> {
  const { sql, overdueS, log } = deps;
  let events = 0;
  for (let more = true; more && !signal.aborted; ) {
    const swept = await sweep(sql, { overdueS, limit: eventsAtOnce });
    events += swept;
    more = swept === eventsAtOnce;
  }
  signal.throwIfAborted();
  // Once: one that is not taken is overdue again later.
  const overdue = await overdueNotifications(sql, { overdueS, perDestination: inFlightPerDestination, except: [] });
  await Promise.all(overdue.map((one) => deps.notifier.notifyInPassing(one, signal)));
  const counts = { events, notifications: overdue.length };
  if (events + overdue.length > 0) log.warn(counts, 'what was overdue is looked after');
  return counts;
}
