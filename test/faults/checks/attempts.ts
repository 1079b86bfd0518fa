import { isDead, isExhausted, type Rows } from '../rows.ts';
import { attemptsOfSchedule } from '../settings.ts';
import { some } from './some.ts';

/** Scheduled attempts are numbered from 1 without gaps, and the event's row agrees with them and the manual ones. */
export function checkAttempts({ events, attempts }: Rows): string[] {
  const byEvent = Map.groupBy(attempts, ({ eventId }) => eventId);
  const gaps: unknown[] = [];
  const miscounted: unknown[] = [];
  const early: unknown[] = [];
  const late: unknown[] = [];
  for (const event of events) {
    const made = byEvent.get(event.id) ?? [];
    const scheduled = made.filter(({ trigger }) => trigger === 'schedule');
    const numbers = scheduled.map(({ number }) => number);
    const outcomes = scheduled.map(({ outcome }) => outcome);
    const manual = made.filter(({ trigger }) => trigger === 'manual').map(({ outcome }) => outcome);
    const facts = { id: event.id, account: event.account, numbers, outcomes, manual };
    if (numbers.some((number, index) => number !== index + 1)) gaps.push(facts);
    if (event.attempts !== made.length || event.scheduledAttempts !== scheduled.length)
      miscounted.push({ ...facts, attempts: event.attempts, scheduledAttempts: event.scheduledAttempts });
    if (isExhausted(event) && scheduled.length !== attemptsOfSchedule) early.push(facts);
    const first = outcomes.indexOf('delivered');
    const succeeded = first === -1 ? manual.includes('delivered') : first === outcomes.length - 1;
    // What a consumer accepts after the cancellation is only recorded.
    if (isDead(event)) continue;
    if (event.deliveryStatus === 'delivered' ? !succeeded : first !== -1 || manual.includes('delivered'))
      late.push(facts);
  }
  return [
    ...some('events have attempts with gaps in their numbers', gaps),
    ...some('events count other attempts than are recorded', miscounted),
    ...some(`exhausted events have not ${attemptsOfSchedule} attempts`, early),
    ...some('events have a successful attempt that is not the last, or none', late),
  ];
}
