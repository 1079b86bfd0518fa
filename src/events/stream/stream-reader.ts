import type { ServerResponse } from 'node:http';
import { uuidFloor } from '../../database/uuid-time.ts';
import type { EventFilters } from '../event-filters.ts';
import type { ChangedIncident } from './incident-changes.ts';
import { eventMessage, idOf, incidentMessage, keepAlive, message, retry, type StreamMessages } from './messages.ts';
import type { Changes } from './read-changes.ts';
import { dependsOnState, matchesState, mayMatch } from './stream-filter.ts';

/** Events that a stream reports per second, and at once after a silence. More would only fill a page. */
const eventsPerSecond = 1_000;
/** Bytes that a client may leave unread: a second of events at that rate, of about 700 bytes each. */
export const maxUnreadBytes = 1024 * 1024;
/** Bytes of one report: two fit into `maxUnreadBytes`, so an earlier one may be unread. Texts of errors may be long. */
const reportBytes = 512 * 1024;
/** A client that has left bytes unread for this long is gone or hangs, as for all answers. */
const stalledMs = 30_000;
/** How long a dropped client may take to read what was written before. */
const lingerMs = 5_000;
/** Reported events of a stream whose filter goes by state, to say that they no longer match. */
const maxReported = 5_000;

/** The new and changed events of one read, shared by all streams of a process. */
export interface Batch extends Pick<Changes, 'events' | 'leftOut'> {
  /** The position after these changes. */
  id: string;
  reset: StreamMessages['reset']['reason'] | null;
}

/** Whose stream it is. */
export interface StreamCaller {
  /** The accounts of which it may see events and incidents; null: all. */
  accountIds: readonly string[] | null;
  /** Whether its token is still valid. */
  isInForce(): boolean;
}

/** A caller without limits. */
export const anyCaller: StreamCaller = { accountIds: null, isInForce: () => true };

/** One open stream. */
export class StreamReader {
  readonly #response: ServerResponse;
  readonly #filter: EventFilters;
  readonly #caller: StreamCaller;
  readonly #accountIds: ReadonlySet<string | null> | null;
  readonly #reported = new Set<string>();
  /** The id of the first event that is received after the connection. The client may have others from the list. */
  readonly #firstNew = uuidFloor(new Date());
  #unreadSinceMs: number | null = null;
  #allowance = eventsPerSecond;
  #allowedAtMs = performance.now();
  #isOpen = true;

  readonly #stalledMs: number;

  /** @param options.stalledMs after which a client that leaves bytes unread is dropped; shorter in tests */
  constructor(
    response: ServerResponse,
    filter: EventFilters,
    caller: StreamCaller = anyCaller,
    options: { stalledMs?: number } = {},
  ) {
    this.#response = response;
    this.#filter = filter;
    this.#caller = caller;
    this.#accountIds = caller.accountIds && new Set(caller.accountIds);
    this.#stalledMs = options.stalledMs ?? stalledMs;
  }

  /** The first message. @param id the position from which later changes are reported */
  ready(resumed: boolean, id: string): void {
    this.#write(`${retry}${message('ready', { resumed })}${idOf(id)}`);
  }

  /** Reports the matching events of a batch; the newest ones when there are too many. */
  report({ events, leftOut, reset, id }: Batch): void {
    const nowMs = performance.now();
    this.#allowance = Math.min(
      eventsPerSecond,
      this.#allowance + ((nowMs - this.#allowedAtMs) / 1_000) * eventsPerSecond,
    );
    this.#allowedAtMs = nowMs;
    const matching: string[] = [];
    for (const event of events) {
      if (!this.#maySee(event.account_id) || !mayMatch(event, this.#filter)) continue;
      if (matchesState(event, this.#filter)) {
        this.#remember(event.id);
        matching.push(eventMessage(event));
      } else if (this.#reported.delete(event.id) || this.#mayBeListed(event.id))
        matching.push(message('unmatched', { id: event.id }));
    }
    const reported = newestWithin(matching, Math.floor(this.#allowance));
    this.#allowance -= reported.length;
    // The events that were not read may be of any account, and their number tells what others receive.
    const isLimited = this.#accountIds !== null;
    const missing = matching.length - reported.length + (isLimited ? 0 : leftOut);
    const reason = reset ?? (isLimited && leftOut > 0 ? 'backlog' : null);
    const parts = [
      ...(reason === null ? [] : [message('reset', { reason })]),
      ...(missing === 0 ? [] : [message('left_out', { events: missing })]),
      ...reported,
    ];
    if (parts.length > 0) this.#write(`${parts.join('')}${idOf(id)}`);
  }

  /** Reports incidents that have changed, with any filter of the stream. */
  reportIncidents(incidents: readonly ChangedIncident[]): void {
    const seen = incidents.filter(({ accountId }) => this.#maySee(accountId));
    if (seen.length > 0) this.#write(seen.map(({ json }) => incidentMessage(json)).join(''));
  }

  keepAlive(id: string): void {
    this.#write(`${keepAlive}${idOf(id)}`);
  }

  /** Drops a client that does not read, even if there is nothing to report, and ends the stream of a token that is not valid any more. */
  check(): void {
    if (!this.#isOpen) return;
    if (!this.#caller.isInForce()) {
      this.end('token_ended');
      return;
    }
    const nowMs = performance.now();
    if (this.#response.writableLength === 0) this.#unreadSinceMs = null;
    else this.#unreadSinceMs ??= nowMs;
    const isStalled = this.#unreadSinceMs !== null && nowMs - this.#unreadSinceMs > this.#stalledMs;
    if (isStalled || this.#response.writableLength > maxUnreadBytes) this.#drop();
  }

  /** Ends the stream, by default because the gateway stops. */
  end(reason: StreamMessages['end']['reason'] = 'shutdown'): void {
    if (!this.#isOpen) return;
    this.#write(message('end', { reason }));
    this.#close();
  }

  #maySee(accountId: string | null): boolean {
    return this.#accountIds === null || this.#accountIds.has(accountId);
  }

  #write(text: string): void {
    if (!this.#isOpen || this.#response.destroyed) return;
    // Without this, one batch could exceed the limit by its size.
    if (this.#response.writableLength + text.length > maxUnreadBytes) {
      this.#drop();
      return;
    }
    this.#response.write(text);
  }

  #drop(): void {
    if (!this.#isOpen) return;
    this.#response.write(message('dropped', { reason: 'slow_reader' }));
    this.#close();
  }

  #close(): void {
    this.#isOpen = false;
    const response = this.#response;
    const late = setTimeout(() => response.destroy(), lingerMs);
    response.once('close', () => clearTimeout(late));
    response.end();
  }

  /** Whether a client may show an event that this stream has not reported: from the list, or an earlier connection. */
  #mayBeListed(id: string): boolean {
    return dependsOnState(this.#filter) && id < this.#firstNew;
  }

  #remember(id: string): void {
    if (!dependsOnState(this.#filter)) return;
    this.#reported.delete(id);
    this.#reported.add(id);
    if (this.#reported.size <= maxReported) return;
    const [oldest] = this.#reported;
    if (oldest !== undefined) this.#reported.delete(oldest);
  }
}

/** The last messages, within the limits of a report. */
function newestWithin(messages: readonly string[], most: number): readonly string[] {
  let first = messages.length;
  let bytes = 0;
  while (first > 0 && messages.length - first < most) {
    bytes += Buffer.byteLength(messages[first - 1] ?? '');
    if (bytes > reportBytes) break;
    first -= 1;
  }
  return messages.slice(first);
}
