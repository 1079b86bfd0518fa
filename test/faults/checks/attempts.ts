import type { Rows } from '../rows.ts';
import { attemptsOfSchedule } from '../settings.ts';
import { some } from './some.ts';

/** Attempts are numbered from 1 without gaps, and the event's row agrees with them. */
export function checkAttempts({ events, attempts }: Rows): string[] {
  const byEvent = Map.groupBy(attempts, ({ eventId }) => eventId);
  const gaps: unknown[] = [];
  const miscounted: unknown[] = [];
  const early: unknown[] = [];
  const late: unknown[] = [];
  for (const event of events) {
    const made = byEvent.get(event.id) ?? [];
    const numbers = made.map(({ number }) => number);
    const outcomes = made.map(({ outcome }) => outcome);
    const facts = { id: event.id, account: event.account, numbers, outcomes };
    if (numbers.some((number, index) => number !== index + 1)) gaps.push(facts);
    if (event.attempts !== made.length || event.scheduledAttempts !== made.length)
      miscounted.push({ ...facts, attempts: event.attempts, scheduledAttempts: event.scheduledAttempts });
    if (event.deliveryStatus === 'failed' && made.length !== attemptsOfSchedule) early.push(facts);
    const first = outcomes.indexOf('delivered');
    if (event.deliveryStatus === 'delivered' ? first !== outcomes.length - 1 : first !== -1) late.push(facts);
  }
  return [
    ...some('events have attempts with gaps in their numbers', gaps),
    ...some('events count other attempts than are recorded', miscounted),
    ...some(`exhausted events have not ${attemptsOfSchedule} attempts`, early),
    ...some('events have a successful attempt that is not the last, or none', late),
  ];
}
