import type { Seen } from '../consumer.ts';
import type { AttemptRow, Rows } from '../rows.ts';
import { deliveryTimeoutMs } from '../settings.ts';
import type { Disruptions } from './disruptions.ts';
import { some } from './some.ts';

const nameOf = (eventId: string, number: number) => `${eventId}/${number}`;

/** Whether one POST can have the recorded outcome. */
function fits({ outcome, responseCode }: AttemptRow, { answer }: Seen): boolean {
  switch (outcome) {
    case 'delivered':
    case 'http_error':
      return answer === responseCode;
    case 'timeout':
      return true;
    case 'connection_error':
      return answer === 'reset' || answer === 'hang';
    default:
      return false;
  }
}

/** The rows and what the consumer saw agree: each recorded attempt was seen, with its outcome, and no other attempt. */
export function checkConsumer({ events, attempts }: Rows, seen: readonly Seen[], disruptions: Disruptions): string[] {
  const posts = Map.groupBy(seen, ({ eventId, number }) => nameOf(eventId, number));
  const recorded = new Set(attempts.map(({ eventId, number }) => nameOf(eventId, number)));
  const unseen = attempts.filter(({ eventId, number }) => !posts.has(nameOf(eventId, number)));
  const other = attempts.filter((attempt) => {
    const those = posts.get(nameOf(attempt.eventId, attempt.number)) ?? [];
    return those.length > 0 && !those.some((post) => fits(attempt, post));
  });
  const unrecorded = seen.filter(({ eventId, number }) => !recorded.has(nameOf(eventId, number)));
  const ignored = attempts.filter((attempt) => {
    if (attempt.outcome === 'delivered') return false;
    const those = posts.get(nameOf(attempt.eventId, attempt.number)) ?? [];
    const [first] = those;
    const taken = those.find(({ answer }) => typeof answer === 'number' && answer < 300);
    if (first === undefined || taken === undefined) return false;
    // A stopped worker may find its time limit expired when it continues. If a fault caused a second POST, the outcome
    // of either is recorded.
    return !disruptions.between(first.atMs, taken.atMs + deliveryTimeoutMs);
  });
  const byId = new Map(events.map((event) => [event.id, event]));
  const misled = seen.filter(({ eventId, requestId, consumer, addressOf, account, externalId }) => {
    const event = byId.get(eventId);
    const told = { requestId, consumer, account, externalId };
    return (
      consumer !== addressOf ||
      !event ||
      Object.entries(told).some(([name, value]) => value !== Reflect.get(event, name))
    );
  });
  return [
    ...some('POSTs went to another consumer than that of their event, or say so', misled),
    ...some('recorded attempts were not seen by the consumer', unseen),
    ...some('recorded outcomes are not what the consumer did', other),
    ...some('POSTs are not recorded as attempts', unrecorded),
    ...some('successes are recorded as failures, and no fault explains it', ignored),
  ];
}
