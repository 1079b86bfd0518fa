import { destinations, type Notice } from '../receiver.ts';
import { type EventRow, isExhausted, type Rows } from '../rows.ts';
import { attemptsOfSchedule } from '../settings.ts';
import { some } from './some.ts';

/** Each destination has taken a notification of each exhausted event, the rows say so, and no other event was notified. */
export function checkNotifications({ events, attempts, notifications }: Rows, notices: readonly Notice[]): string[] {
  const named = (those: readonly EventRow[]) =>
    those.flatMap(({ id }) => destinations.map((destination) => `${destination}/${id}`));
  const wanted = named(events.filter(isExhausted));
  // A retry by hand may have delivered an event that was exhausted before.
  const retried = new Set(attempts.filter(({ trigger }) => trigger === 'manual').map(({ eventId }) => eventId));
  const wasExhausted = events.filter(
    (event) => event.scheduledAttempts === attemptsOfSchedule && retried.has(event.id),
  );
  const taken = new Set(
    notices.filter(({ status }) => status === 200).map(({ destination, eventId }) => `${destination}/${eventId}`),
  );
  const recorded = notifications.map(({ destination, eventId }) => `${destination}/${eventId}`);
  const known = new Set(recorded);
  const expected = new Set([...wanted, ...named(wasExhausted)]);
  return [
    ...some(
      'notifications did not arrive',
      wanted.filter((name) => !taken.has(name)),
    ),
    ...some(
      'notifications are not recorded',
      wanted.filter((name) => !known.has(name)),
    ),
    ...some(
      'notifications are recorded or arrived for events that are not exhausted',
      [...new Set([...recorded, ...taken])].filter((name) => !expected.has(name)),
    ),
    ...some(
      'notifications have another status than sent',
      notifications.filter(({ status }) => status !== 'sent'),
    ),
  ];
}
