import type { AccountRow } from '../../../accounts/account-entity.ts';
import { type Content, noContent } from '../../../conditions/content.ts';
import { contentNeeds } from '../../../conditions/content-needs.ts';
import { evaluate } from '../../../conditions/evaluate.ts';
import { type Condition, type VariableName, type Variables, variableKinds } from '../../../conditions/tree.ts';
import { consumerVariableNames, consumerVariables } from '../../../consumers/condition-variables.ts';
import type { Sql } from '../../../database/sql.ts';
import { type EventRow, scheduledAttempts } from '../../../events/event.ts';
import { idRange } from '../../../events/id-range.ts';
import { listEvents } from '../../../events/list.ts';
import { contentsFor } from '../../../events/stored-contents.ts';
import { type DestinationVariables, destinationVariableNames } from '../destination-condition.ts';

/** The newest events of an account that a preview looks at: some 10 ms of reading, while an operator types. */
const previewedEvents = 1_000;
/** Headers and bodies that a preview reads: parsing them takes 50 ms for usual JSON, and 0.2 s for one of short keys (measured). */
const maxBytes = 8 * 1024 * 1024;
/** For evaluating, with the parsing: five times what 8 MiB of the slowest JSON take. Only costly patterns need more. */
const maxEvaluatingMs = 1_000;
/** Matching events that a preview shows. */
export const shownEvents = 20;
/** Values of a variable that are offered for completion. */
const offeredValues = 50;

/** Whose condition is written: it decides which variables it may name, and which events it is about. */
export const owners = ['destination', 'consumer'] as const;
export type Owner = (typeof owners)[number];

interface Rules {
  variables: readonly VariableName[];
  variablesOf(event: EventRow): Variables;
  /** Reads which of the events such a condition is about. */
  subjects(sql: Sql, events: EventRow[]): Promise<EventRow[]>;
}

export const rulesOf: Readonly<Record<Owner, Rules>> = {
  destination: {
    variables: destinationVariableNames,
    variablesOf: whenExhausted,
    // Nothing is notified about rejected webhooks, and those that no consumer gets.
    subjects: async (_sql, events) => events.filter(({ delivery_status }) => delivery_status !== null),
  },
  consumer: {
    variables: consumerVariableNames,
    variablesOf: ({ provider, account_slug, app_key, event_type, external_id }) =>
      consumerVariables({
        ...{ provider, accountSlug: account_slug, appKey: app_key },
        ...{ eventType: event_type, externalId: external_id },
      }),
    subjects: (sql, events) =>
      firstEvents(
        sql,
        events.filter(({ rejection_reason }) => rejection_reason === null),
      ),
  },
};

const readFirst = {
  name: 'first_events_of_webhooks',
  text: 'select id from events where id = any($1) and id between $2 and $3 and request_id is null',
};

/** Those that are the first event of their webhook, so that a webhook of several consumers counts once. */
async function firstEvents(sql: Sql, events: EventRow[]): Promise<EventRow[]> {
  if (events.length === 0) return [];
  const ids = events.map(({ id }) => id);
  const first = new Set((await sql.query<{ id: string }>(readFirst, [ids, ...idRange(ids)])).map(({ id }) => id));
  return events.filter(({ id }) => first.has(id));
}

/** Reads the newest events of an account that conditions of this owner are about, newest first. */
export async function recentEvents(
  sql: Sql,
  { id, provider, account_slug }: Pick<AccountRow, 'id' | 'provider' | 'account_slug'>,
  owner: Owner,
): Promise<EventRow[]> {
  const events = await listEvents(sql, { provider, account_slug, limit: previewedEvents, offset: 0 });
  // A deleted account may have had the same slug.
  return rulesOf[owner].subjects(
    sql,
    events.filter((event) => event.account_id === id),
  );
}

/**
 * The events that meet a condition; that of a destination as if all their attempts had failed. It examines fewer than
 * all when it reads more than 8 MiB of headers and bodies, or evaluates for more than a second.
 */
export async function matchingEvents(
  sql: Sql,
  condition: Condition,
  events: readonly EventRow[],
  owner: Owner,
): Promise<{ examined: number; matching: EventRow[] }> {
  const { variablesOf } = rulesOf[owner];
  const byId = new Map(events.map((event) => [event.id, event]));
  const matching: EventRow[] = [];
  let examined = 0;
  let evaluatingMs = 0;
  for await (const [id, content] of contentsFor(sql, [...byId.keys()], contentNeeds(condition), { maxBytes })) {
    const event = byId.get(id);
    if (!event) continue;
    examined++;
    const beganMs = performance.now();
    if (evaluate(condition, variablesOf(event), content)) matching.push(event);
    evaluatingMs += performance.now() - beganMs;
    if (evaluatingMs >= maxEvaluatingMs) break;
  }
  return { examined, matching };
}

/** What a condition needs of the content of one event; nothing is read for one that needs none. */
export async function contentOf(sql: Sql, condition: Condition, eventId: string): Promise<Content> {
  for await (const [, content] of contentsFor(sql, [eventId], contentNeeds(condition))) return content;
  return noContent;
}

/** The variables of an event when its attempts have failed: of others, the attempts are those of a whole schedule. */
function whenExhausted(event: EventRow): DestinationVariables {
  const { provider, event_type, account_slug, app_key, consumer, response_code } = event;
  const attempts = event.delivery_status === 'failed' ? event.attempts : Math.max(event.attempts, scheduledAttempts);
  return { delivery_failed: true, provider, event_type, account_slug, app_key, consumer, attempts, response_code };
}

/** The values of an event that are offered for a variable. The others have few values, or the same for all events. */
const valuesOf = new Map<string, (event: EventRow) => string | number | null>([
  ['provider', (event) => event.provider],
  ['event_type', (event) => event.event_type],
  ['account_slug', (event) => event.account_slug],
  ['app_key', (event) => event.app_key],
  ['consumer', (event) => event.consumer],
  ['response_code', (event) => event.response_code],
]);

/** The variables of such conditions, with the values that these events have, the most frequent ones first. */
export function offeredVariables(events: readonly EventRow[], owner: Owner) {
  return rulesOf[owner].variables.map((name) => {
    const read = valuesOf.get(name);
    return { name, kind: variableKinds[name], values: read ? mostFrequent(events.map(read)) : [] };
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
