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
  /** The seconds after its due time from which an event or a notification counts as overdue. */
  overdueS: number;
  log: Log;
}

/** Runs the workers' continuous sweep once: queues events that lost their workflow, and sends overdue notifications. */
export async function sweepOverdue(deps: SweepDeps, signal: AbortSignal): Promise<MaintenanceCounts> {
  const { sql, overdueS, log } = deps;
  // During a pause, every due event becomes overdue, but only events that lost their workflow need the sweep. So it
  // sweeps one batch at a time, as the relay does.
  const { paused, makesLate } = await readLateness(sql);
  let events = 0;
  for (let more = true; more && !signal.aborted; ) {
    const swept = await sweep(sql, { overdueS, limit: eventsAtOnce });
    events += swept.queued;
    more = swept.more && !makesLate;
  }
  signal.throwIfAborted();
  // Nothing is sent during a pause. Notifications that become overdue in it are sent by their workflows afterwards.
  const notifications = paused ? 0 : await notifyOverdue(deps, signal);
  const counts = { events, notifications };
  if (events + notifications > 0)
    log[makesLate ? 'info' : 'warn'](counts, 'overdue events requeued, overdue notifications retried');
  return counts;
}

/** Makes one try for each overdue notification. One that fails becomes overdue again later. */
async function notifyOverdue({ sql, notifier, overdueS }: SweepDeps, signal: AbortSignal): Promise<number> {
  const overdue = await overdueNotifications(sql, { overdueS, perDestination: inFlightPerDestination, except: [] });
  await Promise.all(overdue.map((one) => notifier.notifyInPassing(one, signal)));
  return overdue.length;
}
