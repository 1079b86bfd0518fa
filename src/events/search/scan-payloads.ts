import { isCanceled } from '../../database/errors.ts';
import type { Sql } from '../../database/sql.ts';
import { boundAsId, uuidFloor, uuidMs } from '../../database/uuid-time.ts';
import { firstSliceMs, nextSliceMs, shorterSliceMs } from '../bulk/slices.ts';
import { type EventRow, readEventRows } from '../event.ts';
import { endOfWebhooks } from '../id-range.ts';
import { type EventFilter, type Matching, matchingOf } from '../list.ts';
import { type Window, windowsBack } from '../windows.ts';

/** Where one search ends, although there may be more events. The answer says which limit it was. */
const mostEvents = 20_000;
const mostBytes = 64 * 1024 * 1024;
const longestMs = 2_000;

/** Events and bytes of one statement: some 50 ms of work, so that the limit of time is kept. */
const batchEvents = 1_000;
const batchBytes = 8 * 1024 * 1024;
/** Far more than a batch takes, unless few of the events match. Then the next statement reads a shorter span of time. */
export const statementLimitMs = 500;
/** A search that has not come any further goes on until then. */
const longestWithoutProgressMs = 8_000;

export interface PayloadSearch extends Omit<EventFilter, 'limit' | 'offset'> {
  text: string;
  /** The most events to find. */
  limit: number;
  /** Ends the search before its next statement; the signal's reason is thrown. */
  signal?: AbortSignal;
}

export interface FoundPayloads {
  events: EventRow[];
  scanned: { events: number; bytes: number; from: Date | null; to: Date | null };
  /** `end`: there are no older events; `found`: `limit` events were found; `scanned`: a limit of the scan was reached. */
  stopped: 'end' | 'found' | 'scanned';
  /** The id before which the next search continues, of an event or of the begin of a time; null at the end. */
  next: string | null;
}

/**
 * Searches the stored bodies for a text, newest first, without an index. ASCII letters match in either case; all other
 * bytes, and bodies that contain NUL, match as they are. Reads batch by batch, until a limit is reached.
 * Both connections are those for operators' lists, so that ingestion is not affected.
 *
 * @param connections `slices` cancels a statement after `statementLimitMs` (`slicesOf`)
 */
export async function searchPayloads(
  connections: { reader: Sql; slices: Sql },
  { signal, ...search }: PayloadSearch,
): Promise<FoundPayloads> {
  const { reader, slices } = connections;
  const beganMs = performance.now();
  const ids: string[] = [];
  const seen: ScannedRow[] = [];
  let bytes = 0;
  let next: string | null = search.before ?? null;
  let isFurther = false;
  const hasBudget = () =>
    performance.now() - beganMs < (isFurther ? longestMs : longestWithoutProgressMs) &&
    seen.length < mostEvents &&
    bytes < mostBytes;
  const scan = async (): Promise<FoundPayloads['stopped']> => {
    const matching = await matchingOf(reader, search);
    let sliceMs = firstSliceMs;
    for (const { low, high } of await windowsBack(reader, search)) {
      for (next = high; next > low; ) {
        if (!hasBudget()) return 'scanned';
        signal?.throwIfAborted();
        const slice = endOf({ low, high: next }, sliceMs);
        const askedMs = performance.now();
        const batch = await scanBatch(slices, matching, slice, search.text);
        if (batch === null) {
          sliceMs = shorterSliceMs(sliceMs);
          continue;
        }
        isFurther = true;
        sliceMs = nextSliceMs(sliceMs, performance.now() - askedMs);
        for (const row of batch) {
          seen.push(row);
          bytes += row.bytes;
          next = row.id;
          if (row.found && ids.push(row.id) === search.limit) return 'found';
        }
        if (batch.length === 0) next = slice.low;
      }
    }
    return 'end';
  };
  const stopped = await scan();
  // The scan may have reached a limit, or the end, in the statement during which the client left.
  signal?.throwIfAborted();
  const [newest, oldest] = [seen[0], seen.at(-1)];
  return {
    events: (await readEventRows(reader, ids)).toReversed(),
    scanned: { events: seen.length, bytes, from: oldest?.received_at ?? null, to: newest?.received_at ?? null },
    stopped,
    next: stopped === 'end' || next === null ? null : boundAsId(next),
  };
}

/** The last part of a window, at most `longestMs` long. */
function endOf({ low, high }: Window, longestMs: number): Window {
  const begin = uuidFloor(new Date(Math.max(0, uuidMs(high) - longestMs)));
  return { low: begin > low ? begin : low, high };
}

interface ScannedRow {
  id: string;
  received_at: Date;
  bytes: number;
  found: boolean;
}

/**
 * Whether the body of `p` contains the bytes `needle`. PostgreSQL has no function that finds bytes in either case. Each
 * byte is a character of LATIN1, except NUL, and in the collation C `lower` changes ASCII letters only.
 */
const contains = (needle: string) => {
  const folded = (bytes: string) => `lower(convert_from(${bytes}, 'LATIN1') collate "C")`;
  return `case when position('\\x00'::bytea in p.body) > 0 then position(${needle}::bytea in p.body) > 0
    else position(${folded(`${needle}::bytea`)} in ${folded('p.body')}) > 0 end`;
};

/** Scans the next events of a window, newest first; null when the server cancelled the statement. */
async function scanBatch(
  sql: Sql,
  { sources, values }: Matching,
  { low, high }: Window,
  text: string,
): Promise<ScannedRow[] | null> {
  const parameter = (n: number) => `$${values.length + 2 + n}`;
  const page = sources
    .map(
      (source) =>
        `(select e.id, coalesce(e.request_id, e.id) as request_id, e.received_at ${source} order by e.id desc limit ${batchEvents})`,
    )
    .join(' union ');
  // `octet_length` reads no stored-out-of-line body, so bodies beyond the budget are not read.
  const statement = `
    with page as materialized (
      select * from (${page}) u order by id desc limit ${batchEvents}
    ), sized as materialized (
      select page.id, page.request_id, page.received_at, octet_length(p.body) as bytes
      from page join event_payloads p on p.event_id = page.request_id where p.event_id >= $1 and p.event_id < ${parameter(2)}
    ), budgeted as materialized (
      select *, sum(bytes) over (order by id desc) - bytes as before from sized
    )
    select b.id, b.received_at, b.bytes, ${contains(parameter(1))} as found
    from budgeted b join event_payloads p on p.event_id = b.request_id and p.event_id >= $1 and p.event_id < ${parameter(2)}
    where b.before < ${batchBytes} order by b.id desc`;
  try {
    return await sql.query<ScannedRow>({ name: '', text: statement }, [
      ...[low, high, ...values],
      ...[Buffer.from(text), endOfWebhooks(high)],
    ]);
  } catch (error) {
    if (isCanceled(error)) return null;
    throw error;
  }
}
