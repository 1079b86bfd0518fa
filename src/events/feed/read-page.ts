import type { Sql } from '../../database/sql.ts';
import { type EventRow, eventColumns } from '../event.ts';
import { eventItem } from '../event-view.ts';
import { idRange } from '../id-range.ts';
import type { Place } from './cursor.ts';
import type { FeedCondition } from './feed-filter.ts';
import { inFeed, settledEnd } from './feed-state.ts';

/** Bytes of a page. An event that is larger is a page of its own. */
const maxPageBytes = 4 * 1024 * 1024;
/** The part of a page around its events: the cursor, and names of fields. */
const frameBytes = 1_024;
/** Index entries that one statement reads at most: about 50 ms, also if few events match. */
const mostEntries = 20_000;
/** With a filter, the first statement reads so many: planning takes as long as reading them. */
const firstEntries = 1_000;
/** The next statement reads so many times as many entries, while fewer events than wanted match. */
const growth = 8;
/** After this, a page ends with what was found, so that clients and their proxies get an answer soon. */
const searchMs = 1_000;

/** An event with what the webhook had, as JSON. */
interface FeedItem {
  id: string;
  json: string;
}

/** Some events of the feed, in its order. */
export interface FeedPage {
  /** As JSON. */
  items: string[];
  /** The place after which the next page begins. */
  end: Place;
  /** Whether there was nothing more. */
  done: boolean;
}

interface Entry {
  xid: string;
  id: string;
  matches: boolean;
  n: number;
}

/** The entries after the place $1, $2, at most $3: those that match, and the last one. */
const entriesAfter = (condition: string | null) => `
  select x.xid, x.id, x.matches, x.n from (
    select e.stored_xid::text as xid, e.id, ${condition ?? 'true'} as matches,
      row_number() over (order by e.stored_xid, e.id)::integer as n, lead(e.id) over (order by e.stored_xid, e.id) is null as is_last
    from (
      select e.stored_xid, e.id, e.account_id, e.consumer_id, e.event_type from events e
      where (e.stored_xid, e.id) > ($1::text::xid8, $2::uuid) and e.stored_xid < ${settledEnd} and ${inFeed('e')}
      order by e.stored_xid, e.id limit $3
    ) e
  ) x where x.matches or x.is_last order by x.n`;

/** The number of the first parameter of a condition in `entriesAfter`. */
export const firstOfCondition = 4;

/**
 * Reads what was stored after a place. Most of it is index entries: those of events that do not match are passed.
 *
 * @param sql a pool whose plans are made for the actual values
 */
export async function readPage(
  sql: Sql,
  options: { after: Place; condition: FeedCondition; limit: number },
): Promise<FeedPage> {
  const { found, end, done } = await findEntries(sql, options);
  const items = await readItems(
    sql,
    found.map(({ id }) => id),
  );
  const last = items.at(-1)?.id;
  const read = found.findIndex(({ id }) => id === last);
  // What did not fit comes with the next page. Events that are gone meanwhile are found by `lossOf`.
  const next = found[read];
  const isCut = next !== undefined && read < found.length - 1;
  return {
    items: items.map(({ json }) => json),
    end: isCut ? { xid: next.xid, id: next.id } : end,
    done: done && !isCut,
  };
}

async function findEntries(
  sql: Sql,
  { after, condition, limit }: { after: Place; condition: FeedCondition; limit: number },
): Promise<{ found: Place[]; end: Place; done: boolean }> {
  const startMs = performance.now();
  const found: Place[] = [];
  let end = after;
  // One more than wanted, to know whether there is one.
  const first = condition.sql === null ? limit + 1 : Math.max(limit + 1, firstEntries);
  for (let most = first; ; most = Math.min(most * growth, mostEntries)) {
    const values = [end.xid, end.id, most, ...condition.values];
    const entries = await sql.query<Entry>({ name: '', text: entriesAfter(condition.sql) }, values);
    const last = entries.at(-1);
    if (last === undefined) return { found, end, done: true };
    end = last;
    found.push(...entries.filter(({ matches }) => matches));
    const wanted = found.slice(0, limit);
    if (found.length > limit) return { found: wanted, end: wanted.at(-1) ?? end, done: false };
    if (last.n < most) return { found, end, done: true };
    if (found.length === limit || performance.now() - startMs > searchMs) return { found, end, done: false };
  }
}

interface Stored {
  headers: [string, string][];
  body: Buffer;
}

const readItemsOf = {
  name: '',
  // The sizes of stored bodies are known without reading them.
  text: `
    select ${eventColumns}, s.headers, s.body from (
      select w.id, w.n, p.headers, p.body,
        sum(octet_length(p.body)::bigint * 4 / 3 + octet_length(p.headers::text)) over (order by w.n) as bytes
      from unnest($1::uuid[]) with ordinality as w (id, n)
        join events e on e.id = w.id and e.id between $2 and $3
        join event_payloads p on p.event_id = coalesce(e.request_id, e.id) and p.event_id between $2 and $3
    ) s join events e on e.id = s.id and e.id between $2 and $3
    where s.bytes <= ${maxPageBytes} or s.n = 1 order by s.n`,
};

async function readItems(sql: Sql, ids: readonly string[]): Promise<FeedItem[]> {
  if (ids.length === 0) return [];
  const rows = await sql.query<EventRow & Stored>(readItemsOf, [ids, ...idRange(ids)]);
  const items: FeedItem[] = [];
  let bytes = frameBytes;
  for (const { headers, body, ...event } of rows) {
    const json = JSON.stringify({ event: eventItem(event), headers, body: body.toString('base64') });
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > maxPageBytes && items.length > 0) break;
    items.push({ id: event.id, json });
  }
  return items;
}
