import type { AccountRow } from '../../../accounts/account-entity.ts';
import type { Sql } from '../../../database/sql.ts';
import { type EventRow, scheduledAttempts } from '../../../events/event.ts';
import { listEvents } from '../../../events/list.ts';
import { evaluate } from './evaluate.ts';
import { type Condition, type Variables, variableKinds } from './tree.ts';

/** The newest events of an account that a preview looks at: some 10 ms of reading, while an operator types. */
const previewedEvents = 1_000;
/** Matching events that a preview shows. */
export const shownEvents = 20;
/** Values of a variable that are offered for completion. */
const offeredValues = 50;

/** Reads the newest events of an account, newest first, without rejected ones, which nothing is notified about. */
export async function recentEvents(
  sql: Sql,
  { id, provider, account_slug }: Pick<AccountRow, 'id' | 'provider' | 'account_slug'>,
): Promise<EventRow[]> {
  const events = await listEvents(sql, { provider, account_slug, limit: previewedEvents, offset: 0 });
  // A deleted account may have had the same slug.
  return events.filter((event) => event.account_id === id && event.delivery_status !== null);
}

/** The events that meet a condition, if all their attempts had failed. */
export const matchingEvents = (condition: Condition, events: readonly EventRow[]): EventRow[] =>
  events.filter((event) => evaluate(condition, whenExhausted(event)));

/** The variables of an event when its attempts have failed: of others, the attempts are those of a whole schedule. */
function whenExhausted(event: EventRow): Variables {
  const { provider, event_type, account_slug, app_key, response_code } = event;
  const attempts = event.delivery_status === 'failed' ? event.attempts : Math.max(event.attempts, scheduledAttempts);
  return { delivery_failed: true, provider, event_type, account_slug, app_key, attempts, response_code };
}

/** The values of an event that are offered for a variable. The others have few values, or the same for all events. */
const valuesOf = new Map<string, (event: EventRow) => string | number | null>([
  ['provider', (event) => event.provider],
  ['event_type', (event) => event.event_type],
  ['account_slug', (event) => event.account_slug],
  ['app_key', (event) => event.app_key],
  ['response_code', (event) => event.response_code],
]);

/** The variables of conditions, with the values that these events have, the most frequent ones first. */
export function offeredVariables(events: readonly EventRow[]) {
  return Object.entries(variableKinds).map(([name, kind]) => {
    const read = valuesOf.get(name);
    return { name, kind, values: read ? mostFrequent(events.map(read)) : [] };
  });
}

function mostFrequent(values: readonly (string | number | null)[]): (string | number)[] {
  const counts = new Map<string | number, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, offeredValues)
    .map(([value]) => value);
}
