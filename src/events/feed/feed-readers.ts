import type { AuditWriter } from '../../audit/audit-writer.ts';
import type { AuditDetails, AuditEntry } from '../../audit/entry.ts';
import { FlushedCounts } from '../../database/flushed-counts.ts';
import type { Sql } from '../../database/sql.ts';
import type { Log } from '../../shared/log.ts';

const hourMs = 3_600_000;
/** Readers that are told apart, in at most 32 MB: Node refuses heads above 16 KiB. Calls of further ones have an entry each. */
const mostKnown = 1_000;
/** How long after the end of its hour an entry is written at the latest. */
const defaultLookMs = 10_000;

/** One call of a reader: a token, an address, and filters. */
export interface FeedCall {
  actor: string;
  ipAddress: string;
  filters: AuditDetails;
  /** Events of the answer. */
  events: number;
}

interface Reads extends FeedCall {
  calls: number;
  sinceMs: number;
  untilMs: number;
}

const add = (to: Reads, more: Reads) => {
  to.calls += more.calls;
  to.events += more.events;
  to.sinceMs = Math.min(to.sinceMs, more.sinceMs);
  to.untilMs = Math.max(to.untilMs, more.untilMs);
};

/**
 * Records readers of the feed in the audit log: one entry when a reader begins, and one for each hour with its calls and
 * events, or when the process stops. A reader that was away for an hour begins again. A crash loses the counts of the
 * last hour. Several processes count separately.
 */
export class FeedReaders {
  readonly #audit: AuditWriter;
  readonly #now: () => number;
  readonly #mostReaders: number;
  readonly #counts: FlushedCounts<Reads>;
  /** When each reader last called, with the writing of its first entry. In the order of these times. */
  readonly #known = new Map<string, { atMs: number; begun: Promise<void> }>();

  /** @param options.now the clock, in milliseconds since 1970; `lookMs` and `mostReaders` are smaller in tests */
  constructor(options: {
    sql: Sql;
    audit: AuditWriter;
    log: Log;
    now?: () => number;
    lookMs?: number;
    mostReaders?: number;
  }) {
    const { sql, audit, log, now = Date.now, lookMs = defaultLookMs, mostReaders = mostKnown } = options;
    this.#audit = audit;
    this.#now = now;
    this.#mostReaders = mostReaders;
    this.#counts = new FlushedCounts({
      ...{ name: 'reads of the feed', flushMs: lookMs, add, log },
      isDue: ({ sinceMs }) => sinceMs + hourMs <= now(),
      // One statement, so that a failure does not count some of them twice.
      write: (all) => audit.write(sql, ...all.map(hourEntry)),
    });
  }

  /**
   * Writes the entry of a reader that begins, and counts the call.
   *
   * @param call.begins whether the call has no cursor: each of them is an entry
   * @throws the database's error when the entry was not written: then the events must not be sent.
   */
  async record(call: FeedCall & { begins: boolean }): Promise<void> {
    const { actor, ipAddress, filters, events, begins } = call;
    const nowMs = this.#now();
    const key = JSON.stringify([actor, ipAddress, filters]);
    const begin = { actor, ipAddress, action: 'event.feed', details: { ...filters, status: 200 } } as const;
    if (!this.#hasRoomFor(key, nowMs))
      return this.#audit.append({ ...begin, details: { ...begin.details, calls: 1, events } });
    const known = this.#known.get(key);
    const isKnown = !begins && known !== undefined && nowMs - known.atMs < hourMs;
    const begun = isKnown ? known.begun : this.#audit.append(begin);
    this.#known.delete(key);
    this.#known.set(key, { atMs: nowMs, begun });
    try {
      await begun;
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
    this.#counts.count(key, { actor, ipAddress, filters, events, calls: 1, sinceMs: nowMs, untilMs: nowMs });
  }

  start(): void {
    this.#counts.start();
  }

  /** Writes the entries of this hour, too. */
  stop(): Promise<void> {
    return this.#counts.stop();
  }

  /** Forgets the readers that were away for an hour. */
  #hasRoomFor(key: string, nowMs: number): boolean {
    for (const [other, { atMs }] of this.#known) {
      if (nowMs - atMs < hourMs) break;
      this.#known.delete(other);
    }
    return this.#known.has(key) || this.#known.size < this.#mostReaders;
  }
}

const hourEntry = ({ actor, ipAddress, filters, calls, events, sinceMs, untilMs }: Reads): AuditEntry => ({
  ...{ actor, ipAddress, action: 'event.feed' },
  details: {
    ...filters,
    ...{ calls, events, since: new Date(sinceMs).toISOString(), until: new Date(untilMs).toISOString() },
  },
});
