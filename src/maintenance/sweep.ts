import type { MaintenanceCounts } from '../../workflows/maintenance-messages.ts';
import { readPause } from '../events/pause.ts';
import { type SweepPosition, sweep } from '../events/transitions/swept.ts';
import { overdueNotifications } from '../notifications/notification-store.ts';
import { inFlightPerDestination } from '../notifications/sending/destination-slots.ts';
import type { Notifier } from '../notifications/sending/notifier.ts';
import { type RepairDeps, repairStuck } from './repair-stuck.ts';

const eventsAtOnce = 500;

export interface SweepDeps extends RepairDeps {
  notifier: Notifier;
  /** Ends the retries of records while PostgreSQL is away, at the stop of the worker. */
  recordingEnds: AbortSignal;
}

/**
 * Runs the workers' continuous sweep once: queues events that lost their workflow, and sends overdue notifications. Then
 * ends stuck workflows, which the continuous sweep does not look for.
 */
export async function sweepOverdue(deps: SweepDeps, signal: AbortSignal): Promise<MaintenanceCounts> {
  const { sql, overdueS, log } = deps;
  let events = 0;
  let after: SweepPosition | null = null;
  do {
    const swept = await sweep(sql, { overdueS, limit: eventsAtOnce, after });
    events += swept.queued;
    after = swept.next;
  } while (after !== null && !signal.aborted);
  signal.throwIfAborted();
  // Nothing is sent during a pause. Notifications that become overdue in it are sent by their workflows afterwards.
  const notifications = (await readPause(sql)) ? 0 : await notifyOverdue(deps);
  // Last, because it needs Temporal, and the others do not.
  const { ended, left } = await repairStuck(deps, signal);
  const counts = { events, notifications, stuck_ended: ended, stuck_left: left };
  if (events + notifications > 0)
    log.warn({ events, notifications }, 'overdue events requeued, overdue notifications retried');
  return counts;
}

/**
 * Makes one try for each overdue notification. One that fails becomes overdue again later. What a destination has answered
 * is recorded also when Temporal has cancelled the sweep, because only this process knows it.
 */
async function notifyOverdue({ sql, notifier, overdueS, recordingEnds }: SweepDeps): Promise<number> {
  const overdue = await overdueNotifications(sql, { overdueS, perDestination: inFlightPerDestination, except: [] });
  await Promise.all(overdue.map((one) => notifier.notifyInPassing(one, recordingEnds)));
  return overdue.length;
}
