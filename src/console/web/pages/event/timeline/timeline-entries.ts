import type { EventDetails } from '../../../api/types.ts';
import type { Attempt, Notification, OperatorEntry } from '../use-event.ts';

/** One thing that happened to an event. */
export type Entry = { key: string; atMs: number } & (
  | { kind: 'received' }
  | { kind: 'backfilled' }
  | { kind: 'attempt'; attempt: Attempt; endMs: number }
  | { kind: 'notification'; notification: Notification }
  | { kind: 'operator'; entry: OperatorEntry }
);

/** Everything that happened to an event, in its order. */
export function timelineEntries(event: EventDetails, operators: readonly OperatorEntry[]): Entry[] {
  const entries: Entry[] = [{ kind: 'received', key: 'received', atMs: Date.parse(event.received_at) }];
  if (event.backfilled_at !== null)
    entries.push({ kind: 'backfilled', key: 'backfilled', atMs: Date.parse(event.backfilled_at) });
  for (const attempt of event.delivery_history) {
    const atMs = Date.parse(attempt.started_at);
    const key = `attempt ${attempt.generation} ${attempt.trigger} ${attempt.number} ${attempt.started_at}`;
    entries.push({ kind: 'attempt', key, atMs, endMs: atMs + attempt.duration_ms, attempt });
  }
  for (const notification of event.notifications)
    if (notification.sent_at !== null)
      entries.push({
        kind: 'notification',
        key: `notification ${notification.destination_id} ${notification.generation}`,
        atMs: Date.parse(notification.sent_at),
        notification,
      });
  for (const entry of operators)
    entries.push({ kind: 'operator', key: `operator ${entry.id}`, atMs: Date.parse(entry.timestamp), entry });
  return entries.sort((a, b) => a.atMs - b.atMs);
}

/** Notifications that were not sent: they have no time of their own. */
export const unsentNotifications = (event: EventDetails) =>
  event.notifications.filter(({ sent_at }) => sent_at === null);

/** Whether it went well, by its colour. */
export function toneOf(entry: Entry): 'good' | 'bad' | 'calm' {
  if (entry.kind === 'attempt') return entry.attempt.outcome === 'delivered' ? 'good' : 'bad';
  if (entry.kind === 'notification') return entry.notification.status === 'sent' ? 'good' : 'bad';
  return 'calm';
}
