import type { Sql } from '../database/sql.ts';
import { consumerName } from '../events/event.ts';
import { idRange } from '../events/id-range.ts';
import type { Payload } from '../events/read.ts';
import { payloadOfEvent } from '../events/siblings.ts';

const readToldPayload = {
  name: 'read_told_payload',
  text: `
    select p.content_type as "contentType", p.body from events e join event_payloads p on ${payloadOfEvent} where e.id = $1`,
};
const readToldTrace = {
  name: 'read_told_trace',
  text: `select p.traceparent from events e join event_payloads p on ${payloadOfEvent} where e.id = $1`,
};
const readListedEvents = {
  name: 'read_listed_events',
  text: `
    select e.id, e.event_type, ${consumerName} as consumer, n.event_error as error
    from events e join notifications n on n.event_id = e.id and n.event_id between $3 and $4 and n.summary_id = $2
    where e.id = any($1) and e.id between $3 and $4 order by e.id, n.generation`,
};

export async function readPayload(sql: Sql, eventId: string): Promise<Pick<Payload, 'contentType' | 'body'> | null> {
  return (
    (await sql.query<Pick<Payload, 'contentType' | 'body'>>(readToldPayload, [eventId, ...idRange([eventId])]))[0] ??
    null
  );
}

/** Reads the span of the event's webhook; null if it was received while tracing was off. */
export async function readTraceparent(sql: Sql, eventId: string): Promise<string | null> {
  const [row] = await sql.query<{ traceparent: string | null }>(readToldTrace, [eventId, ...idRange([eventId])]);
  return row?.traceparent ?? null;
}

/** Reads the fields of a summary's example events. */
export async function readListed(
  sql: Sql,
  { id, firstEventIds }: { id: string; firstEventIds: string[] },
): Promise<{ id: string; event_type: string | null; consumer: string; error: string | null }[]> {
  return sql.query(readListedEvents, [firstEventIds, id, ...idRange(firstEventIds)]);
}
