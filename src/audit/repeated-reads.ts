import { FlushedCounts } from '../database/flushed-counts.ts';
import type { Sql } from '../database/sql.ts';
import { type AuditAction, payloadReads } from '../http/admin/actions.ts';
import type { Log } from '../shared/log.ts';
import type { AuditWriter } from './audit-writer.ts';
import type { AuditDetails, AuditEntry } from './entry.ts';

const hourMs = 3_600_000;
/** Different reads that are told apart in an hour, in about 4 MB. Further ones have an entry for each call. */
const mostReads = 10_000;
/** How long after the end of its hour a closing entry is written at the latest. */
const defaultLookMs = 10_000;

/** Calls of one hour that have no entry of their own. */
interface Counted {
  hourMs: number;
  entry: Omit<AuditEntry, 'details'>;
  /** The details of the closing entry besides the counts: what it is about. */
  of: AuditDetails;
  calls: number;
  sinceMs: number;
  untilMs: number;
}

const add = (to: Counted, more: Counted) => {
  to.calls += more.calls;
  to.sinceMs = Math.min(to.sinceMs, more.sinceMs);
  to.untilMs = Math.max(to.untilMs, more.untilMs);
};

/**
 * Whether repeats of a call are counted: it only reads, and no payload. An open page of the console reads once a second,
 * and a log of that would hide what people decide.
 */
export const isCounted = (method: string, action: AuditAction): boolean =>
  (method === 'GET' || method === 'HEAD') && !(payloadReads as readonly AuditAction[]).includes(action);

/**
 * Records reads of the admin API. Of the same read (name and scope of the token, address, action and ids in the path) the
 * first in a clock hour is an entry. The others of that hour are counted, and one closing entry has their number: soon after the hour, or when
 * the process stops. A crash loses the closing entries of its hour. Several processes count separately. Other calls of which
 * only the number is of interest can be counted with them.
 */
export class RepeatedReads {
  readonly #audit: AuditWriter;
  readonly #now: () => number;
  readonly #counts: FlushedCounts<Counted>;
  #hourMs = 0;
  /** The first reads of this hour, with the writing of their entries. */
  #firsts = new Map<string, Promise<void>>();

  /** @param options.now the clock, in milliseconds since 1970, and `lookMs` shorter in tests */
  constructor(options: { sql: Sql; audit: AuditWriter; log: Log; now?: () => number; lookMs?: number }) {
    const { sql, audit, log, now = Date.now, lookMs = defaultLookMs } = options;
    this.#audit = audit;
    this.#now = now;
    this.#counts = new FlushedCounts({
      ...{ name: 'repeated reads', flushMs: lookMs, add, log },
      isDue: (counted) => counted.hourMs < startOfHour(now()),
      // One statement, so that a failure does not count some of them twice.
      write: (all) => audit.write(sql, ...all.map(closingEntry)),
    });
  }

  /**
   * Writes the entry of a read, or counts it.
   *
   * @param ids the ids in its path
   * @throws the database's error when the entry of the first read was not written.
   */
  async record(entry: AuditEntry, ids: Record<string, string>): Promise<void> {
    const hour = startOfHour(this.#now());
    if (hour !== this.#hourMs) {
      this.#hourMs = hour;
      this.#firsts = new Map();
    }
    const { token_scope } = entry.details;
    // A token that was revoked and created again has the same name, and may have another scope.
    const of = token_scope === undefined ? ids : { ...ids, token_scope };
    const key = keyOf(entry, of);
    const first = this.#firsts.get(key);
    if (first === undefined) return this.#first(key, entry);
    await first;
    this.count(entry, of);
  }

  /**
   * Counts a call. The closing entry has the actor, address and action of its entry.
   *
   * @param of further details of the closing entry. Calls that differ in them are counted apart.
   */
  count(entry: AuditEntry, of: AuditDetails): void {
    const { actor, ipAddress, action } = entry;
    const nowMs = this.#now();
    const hour = startOfHour(nowMs);
    this.#counts.count(`${hour} ${keyOf(entry, of)}`, {
      ...{ hourMs: hour, entry: { actor, ipAddress, action }, of },
      ...{ calls: 1, sinceMs: nowMs, untilMs: nowMs },
    });
  }

  async #first(key: string, entry: AuditEntry): Promise<void> {
    const written = this.#audit.append(entry);
    const firsts = this.#firsts;
    if (firsts.size >= mostReads) return written;
    firsts.set(key, written);
    try {
      await written;
    } catch (error) {
      firsts.delete(key);
      throw error;
    }
  }

  start(): void {
    this.#counts.start();
  }

  /** Writes the closing entries of this hour, too. */
  stop(): Promise<void> {
    return this.#counts.stop();
  }
}

/** The same for calls that are counted together. */
const keyOf = ({ actor, ipAddress, action }: AuditEntry, of: AuditDetails) =>
  JSON.stringify([actor, ipAddress, action, of]);

const startOfHour = (ms: number) => Math.floor(ms / hourMs) * hourMs;

const closingEntry = ({ entry, of, calls, sinceMs, untilMs }: Counted): AuditEntry => ({
  ...entry,
  details: { ...of, calls, since: new Date(sinceMs).toISOString(), until: new Date(untilMs).toISOString() },
});
