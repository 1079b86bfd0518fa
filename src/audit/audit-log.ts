import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import { databaseFailure } from '../database/errors.ts';
import type { Sql } from '../database/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import { readChainEnds } from './chain.ts';
import { type AuditEntry, type NewEntry, newEntry } from './entry.ts';
import { readSeals } from './retired-keys.ts';
import { type ChainPoint, createSeals, type Seals } from './seals.ts';

const writeEntries = {
  name: 'write_audit_entries',
  text: `
    insert into audit_logs (id, actor, action, ip_address, created_at, details, noted_seq, noted_seal, mac)
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::json[], $7::bigint[], $8::bytea[], $9::bytea[])`,
};

/** Stores entries, not sealed yet: no request waits for the chain. */
export async function storeEntries(sql: Sql, entries: readonly NewEntry[]): Promise<void> {
  await sql.query(writeEntries, [
    entries.map((e) => e.id),
    entries.map((e) => e.actor),
    entries.map((e) => e.action),
    entries.map((e) => e.ip_address),
    entries.map((e) => e.createdAt),
    entries.map((e) => e.details),
    entries.map((e) => e.noted_seq),
    entries.map((e) => e.noted_seal),
    entries.map((e) => e.mac),
  ]);
}

/** How old the head that entries note may be while there are entries: one small query in that time. */
const defaultNoteMs = 1_000;

/** What became of one entry of a batch; null: it is committed. */
interface Stored {
  failure: unknown;
}

/**
 * Writes the audit log. Entries carry a MAC of their own from the start; the `Sealer` chains them afterwards. Until then,
 * about a second, the deletion of a whole entry would leave no trace.
 *
 * Each entry also notes the highest head of the chain that this process has seen. It goes on to note that one when the
 * database is taken back to an older state while the process runs, and so tells of it; restart the gateway after a restore.
 */
export class AuditLog {
  readonly #database: Database;
  readonly #keyring: Keyring;
  readonly #seals: Seals;
  readonly #noteMs: number;
  readonly #batcher: Batcher<NewEntry, Stored>;
  #made = 0;
  #head: ChainPoint | null = null;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking = false;

  constructor(options: { database: Database; keyring: Keyring; log: Log; noteMs?: number }) {
    const { database, keyring, log } = options;
    this.#noteMs = options.noteMs ?? defaultNoteMs;
    this.#database = database;
    this.#keyring = keyring;
    this.#seals = createSeals(keyring);
    const store = async (entries: NewEntry[]): Promise<Stored[]> => {
      try {
        await storeEntries(database, entries);
        return entries.map(() => ({ failure: null }));
      } catch (error) {
        // Texts are made fit for PostgreSQL, so this is the last resort: a bad entry must not cost the others.
        if (databaseFailure(error) !== 'bad_data') throw error;
        if (entries.length > 1) return (await Promise.all(entries.map((entry) => store([entry])))).flat();
        log.error({ err: error, action: entries[0]?.action }, 'PostgreSQL does not take an entry of the audit log');
        return [{ failure: error }];
      }
    };
    this.#batcher = new Batcher(store, {
      maxBatch: 256,
      // Two, so that entries that come while a commit is under way need not wait for all of it.
      maxRunning: 2,
      maxWaiting: 5_000,
      bytes: { of: (entry) => entry.details.length, maxBatch: 1024 * 1024, maxWaiting: 16 * 1024 * 1024 },
    });
  }

  /** Writes an entry inside the caller's transaction: a change and its entry commit together, or neither does. */
  write(sql: Sql, entry: AuditEntry): Promise<void> {
    return storeEntries(sql, [this.#newEntry(entry)]);
  }

  /**
   * Writes an entry together with others that come at the same time; resolves after the commit.
   *
   * @throws what the database throws; BatcherFull when too many wait already.
   */
  async append(entry: AuditEntry): Promise<void> {
    const { failure } = await this.#batcher.add(this.#newEntry(entry));
    if (failure !== null) throw failure;
  }

  #newEntry(entry: AuditEntry): NewEntry {
    // One look at a time: while the database is slow, more of them would take the connections that entries wait for.
    if (!this.#looking && performance.now() - this.#lookedAtMs >= this.#noteMs) {
      this.#lookedAtMs = performance.now();
      this.#looking = true;
      // Not waited for: the next entry notes it. While the database is away, entries fail by themselves.
      this.#lookForHead()
        .catch(() => undefined)
        .finally(() => {
          this.#looking = false;
        });
    }
    return newEntry(entry, this.#seals, this.#head, this.#made++);
  }

  async #lookForHead(): Promise<void> {
    const { head } = await readChainEnds(this.#database, await readSeals(this.#database, this.#keyring));
    if (head && head !== 'forged' && head.seq > (this.#head?.seq ?? 0)) this.#head = head;
  }
}
