import type { MaintenanceCounts } from '../../workflows/maintenance-messages.ts';
import type { Sql } from '../database/sql.ts';
import { readLateness } from '../events/pause.ts';
import { sweep } from '../events/transitions/swept.ts';
import { overdueNotifications } from '../notifications/notification-store.ts';
import { inFlightPerDestination } from '../notifications/sending/destination-turns.ts';
import type { Notifier } from '../notifications/sending/notifier.ts';
import type { Log } from '../shared/log.ts';

const eventsAtOnce = 500;

export interface SweepDeps {
  sql: Sql;
  notifier: Notifier;
  /** Seconds past its time after which an event or a notification is looked for. */
  overdueS: number;
  log: Log;
}

/** What the workers look for all the time, once: events that want a workflow, and notifications that nobody has sent. */
export async function sweepOverdue(deps: SweepDeps, signal: AbortSignal): Promise<MaintenanceCounts> {
  const { sql, overdueS, log } = deps;
  // A pause makes everything late that comes due. Only what has lost its workflow needs this, to have one when deliveries go
  // on; so it is done little by little, as the relay does.
  const { paused, makesLate } = await readLateness(sql);
  let events = 0;
  for (let more = true; more && !signal.aborted; ) {
    const swept = await sweep(sql, { overdueS, limit: eventsAtOnce });
    events += swept.queued;
    more = swept.more && !makesLate;
  }
  signal.throwIfAborted();
  // Nothing is sent in a pause. What is late then is asked for again when it ends.
  const notifications = paused ? 0 : await tellOverdue(deps, signal);
  const counts = { events, notifications };
  if (events + notifications > 0) log[makesLate ? 'info' : 'warn'](counts, 'what was overdue is looked after');
  return counts;
}

/** Once: one that is not taken is overdue again later. */
async function tellOverdue({ sql, notifier, overdueS }: SweepDeps, signal: AbortSignal): Promise<number> {
  const overdue = await overdueNotifications(sql, { overdueS, perDestination: inFlightPerDestination, except: [] });
  await Promise.all(overdue.map((one) => notifier.notifyInPassing(one, signal)));
  return overdue.length;
}
