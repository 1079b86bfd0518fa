import { LRUCache } from 'lru-cache';
import type { AuditWriter } from './audit-writer.ts';
import type { AuditEntry } from './entry.ts';
import type { RepeatedReads } from './repeated-reads.ts';

const hourMs = 3_600_000;
/** Entries of failed calls that a token has in an hour: far more than mistakes make, and about 2 MB with their indexes. */
const mostEntries = 2_000;
/** Tokens that are told apart, more than a gateway has. */
const mostTokens = 1_000;

/**
 * Records failed admin calls, so that the holder of a token cannot fill the disk with them. Of each token and process, the
 * first 2,000 of an hour have an entry. The others are counted by action and problem, for one closing entry of each after the
 * clock hour.
 */
export class FailedCalls {
  readonly #audit: Pick<AuditWriter, 'append'>;
  readonly #reads: Pick<RepeatedReads, 'count'>;
  /** By the token's name. An hour begins with the first failed call of a token. */
  readonly #tokens = new LRUCache<string, { entries: number; ipAddress: string }>({ max: mostTokens, ttl: hourMs });

  constructor(options: { audit: Pick<AuditWriter, 'append'>; reads: Pick<RepeatedReads, 'count'> }) {
    this.#audit = options.audit;
    this.#reads = options.reads;
  }

  /** Writes the entry of a failed call, or counts it. @throws the database's error */
  async record(entry: AuditEntry): Promise<void> {
    const { actor, ipAddress } = entry;
    const last = this.#tokens.get(actor) ?? { entries: 0, ipAddress };
    if (last.entries === 0) this.#tokens.set(actor, last);
    if (last.entries < mostEntries) {
      last.entries += 1;
      last.ipAddress = ipAddress;
      return this.#audit.append(entry);
    }
    const { token_scope, status, code } = entry.details;
    // With the address of the last entry, because a client may have any number of addresses.
    this.#reads.count(
      { ...entry, ipAddress: last.ipAddress },
      { ...(token_scope === undefined ? {} : { token_scope }), status, code },
    );
  }
}
