import type { EventDetails } from '../../../api/types.ts';
import type { Attempt, Notification, OperatorAction, PauseMet } from '../use-event.ts';

/** One thing that happened to an event. */
export type Entry = { key: string; atMs: number } & (
  | { kind: 'received' }
  | { kind: 'backfilled' }
  | { kind: 'attempt'; attempt: Attempt; endMs: number }
  | { kind: 'notification'; notification: Notification }
  | { kind: 'operator'; action: OperatorAction }
  | { kind: 'paused'; pause: PauseMet }
  | { kind: 'resumed'; pause: PauseMet }
);

/** Everything that happened to an event, in its order. */
export function timelineEntries(event: EventDetails): Entry[] {
  const receivedMs = Date.parse(event.received_at);
  const entries: Entry[] = [{ kind: 'received', key: 'received', atMs: receivedMs }];
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
  for (const [n, action] of event.actions.entries())
    entries.push({ kind: 'operator', key: `operator ${n}`, atMs: Date.parse(action.at), action });
  for (const [n, pause] of event.pauses.entries()) {
    // A pause that had begun before is an entry after the receipt.
    entries.push({ kind: 'paused', key: `paused ${n}`, atMs: Math.max(receivedMs, Date.parse(pause.since)), pause });
    if (pause.until !== null)
      entries.push({ kind: 'resumed', key: `resumed ${n}`, atMs: Date.parse(pause.until), pause });
  }
  return entries.sort((a, b) => a.atMs - b.atMs);
}

/** Notifications that were not sent: they have no time of their own. */
export const unsentNotifications = (event: EventDetails) =>
  event.notifications.filter(({ sent_at }) => sent_at === null);

/** The key of the last attempt that failed, if possible with an answer of the consumer: where `#answer` leads. */
export function lastAnswerKey(entries: readonly Entry[]): string | null {
  const failed = entries.filter((entry) => entry.kind === 'attempt' && entry.attempt.outcome !== 'delivered');
  const answered = failed.filter((entry) => entry.kind === 'attempt' && entry.attempt.response_body);
  return (answered.at(-1) ?? failed.at(-1))?.key ?? null;
}

/** Its colour: only what went wrong has one of its own. */
export function toneOf(entry: Entry): 'bad' | 'calm' {
  if (entry.kind === 'attempt') return entry.attempt.outcome === 'delivered' ? 'calm' : 'bad';
  if (entry.kind === 'notification') return entry.notification.status === 'sent' ? 'calm' : 'bad';
  return 'calm';
}
