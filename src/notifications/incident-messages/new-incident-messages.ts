import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '../../database/sql.ts';
import type { IncidentChange } from '../../incidents/incident.ts';
import { columnsOf } from '../../shared/columns-of.ts';
import { type IncidentDestination, kindOfChange, matchIncident } from './incident-match.ts';
import type { PlaceOf } from './place.ts';

/** A change of an incident that one destination is to be told. */
export interface NewIncidentMessage {
  change: IncidentChange;
  destination: IncidentDestination;
  reminder: boolean;
  /** Why it cannot be sent; null: it is to be sent. */
  error: string | null;
}

/** The message about a change to a destination; null when the destination is not told of it. */
export function messageFor(
  change: IncidentChange,
  destination: IncidentDestination,
  reminder = false,
): NewIncidentMessage | null {
  const match = matchIncident(destination, change);
  if (match.ok) return match.matches ? { change, destination, reminder, error: null } : null;
  return { change, destination, reminder, error: match.error };
}

// The destination is copied from its row, so that one that is deleted at the same time gets no message.
const insertMessages = {
  name: 'insert_incident_messages',
  text: `
    insert into incident_messages (id, incident_id, incident_kind, kind, reminder, destination_id, account_id, destination_type, name, config,
      place, provider, account_slug, app_key, consumer, cause, first_seen_at, last_seen_at, failures, example_event_id, happened_at,
      status, due_at, error)
    select n.id, n.incident_id, n.incident_kind, n.kind, n.reminder, d.id, d.account_id, d.destination_type, d.name, d.config,
      n.place, n.provider, n.account_slug, n.app_key, n.consumer, n.cause, n.first_seen_at, n.last_seen_at, n.failures,
      n.example_event_id, n.happened_at, case when n.error is null then 'pending' else 'failed' end,
      case when n.error is null then now() end, n.error
    from unnest($1::uuid[], $2::boolean[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::text[], $9::text[], $10::text[],
        $11::text[], $12::text[], $13::text[], $14::timestamptz[], $15::timestamptz[], $16::bigint[], $17::uuid[], $18::timestamptz[])
      as n (id, reminder, error, destination_id, place, kind, incident_id, incident_kind, provider, account_slug,
        app_key, consumer, cause, first_seen_at, last_seen_at, failures, example_event_id, happened_at)
    join destinations d on d.id = n.destination_id`,
};

/** Records messages, which a worker sends after the transaction. */
export async function writeIncidentMessages(
  sql: Sql,
  messages: readonly NewIncidentMessage[],
  placeOf: PlaceOf,
): Promise<void> {
  if (messages.length === 0) return;
  const changes = messages.map(({ change }) => change);
  const destinations = [...new Map(messages.map(({ destination }) => [destination.id, destination])).values()];
  const places = new Map(destinations.map((destination) => [destination.id, placeOf(destination)]));
  await sql.query(insertMessages, [
    messages.map(() => uuidv7()),
    ...columnsOf(messages, 'reminder', 'error'),
    messages.map(({ destination }) => destination.id),
    messages.map(({ destination }) => places.get(destination.id)),
    changes.map(kindOfChange),
    ...columnsOf(changes, 'incidentId', 'kind', 'provider', 'accountSlug', 'appKey', 'consumer', 'cause'),
    ...columnsOf(changes, 'firstSeenAt', 'lastSeenAt', 'attempts', 'exampleEventId', 'at'),
  ]);
}
