import { type Content, noContent, type StoredContent, storedContent } from '../conditions/content.ts';
import type { ContentNeeds } from '../conditions/content-needs.ts';
import type { Sql } from '../database/sql.ts';
import { breaks } from '../shared/breaks.ts';
import { idRange } from './id-range.ts';
import { payloadOfEvent } from './siblings.ts';

/** Bodies up to this size come with their row, the others one by one. So a batch has at most 4 MiB of bodies. */
const inlineBytes = 64 * 1024;
const batchEvents = 64;

const readContents = {
  name: 'read_stored_contents',
  // Of a rejected webhook only the beginning of the body may be stored, which may be valid JSON with another meaning.
  // octet_length does not read a body that is stored out of line.
  text: `
    select e.id, p.headers, case when $4 then octet_length(p.body) else 0 end as "bodyBytes",
      $4 and coalesce(p.payload_bytes, octet_length(p.body)) = octet_length(p.body) as "isWhole",
      case when $4 and octet_length(p.body) <= ${inlineBytes} then p.body end as body
    from events e join event_payloads p on p.event_id = coalesce(e.request_id, e.id) and p.event_id between $2 and $3
    where e.id = any($1::uuid[]) and e.id between $2 and $3`,
};

const readBody = {
  name: 'read_stored_body',
  text: `select p.body from events e join event_payloads p on ${payloadOfEvent} where e.id = $1`,
};

interface Row {
  id: string;
  headers: [name: string, value: string][];
  bodyBytes: number;
  isWhole: boolean;
  body: Buffer | null;
}

export interface EventContent {
  eventId: string;
  stored: StoredContent;
}

/**
 * Reads headers and bodies for conditions, in the order of the ids, with one large body in memory at a time. Events that
 * do not exist any more are left out.
 *
 * @param options.bodies whether bodies are read; without, every body is null.
 * @param options.maxBytes ends before an event with which the bytes read would be more, except the first one.
 */
export async function* readStoredContents(
  sql: Sql,
  eventIds: readonly string[],
  { bodies, maxBytes = Number.POSITIVE_INFINITY }: { bodies: boolean; maxBytes?: number },
): AsyncGenerator<EventContent> {
  const takeBreak = breaks();
  let bytes = 0;
  for (let from = 0; from < eventIds.length; from += batchEvents) {
    const ids = eventIds.slice(from, from + batchEvents);
    const rows = await sql.query<Row>(readContents, [ids, ...idRange(ids), bodies]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const id of ids) {
      const row = byId.get(id);
      if (!row) continue;
      const size = sizeOf(row);
      if (bytes > 0 && bytes + size > maxBytes) return;
      bytes += size;
      yield { eventId: id, stored: { headers: row.headers, body: await wholeBody(sql, row) } };
      // The caller may have parsed a body, or evaluated conditions, which takes up to 0.1 s.
      await takeBreak();
    }
  }
}

/**
 * What conditions read of events, in the order of the ids. Nothing is read from the database if they read no content.
 * The caller may evaluate conditions at each step: other work of the process goes on in between.
 */
export async function* contentsFor(
  sql: Sql,
  eventIds: readonly string[],
  { payload, headers }: ContentNeeds,
  options: { maxBytes?: number } = {},
): AsyncGenerator<[eventId: string, content: Content]> {
  if (payload || headers) {
    for await (const { eventId, stored } of readStoredContents(sql, eventIds, { bodies: payload, ...options }))
      yield [eventId, storedContent(stored)];
    return;
  }
  const takeBreak = breaks();
  for (const id of eventIds) {
    yield [id, noContent];
    await takeBreak();
  }
}

const sizeOf = ({ headers, bodyBytes }: Row) =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length, bodyBytes);

async function wholeBody(sql: Sql, { id, isWhole, body }: Row): Promise<Uint8Array | null> {
  if (!isWhole || body) return isWhole ? body : null;
  const [row] = await sql.query<{ body: Buffer }>(readBody, [id, ...idRange([id])]);
  return row?.body ?? null;
}
