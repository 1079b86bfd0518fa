import { apartOnBadData } from '../database/apart-on-bad-data.ts';
import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { columnsOf } from '../shared/columns-of.ts';
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

/** Stores entries without seals. The `Sealer` adds the seals later, so that no request waits for the chain. */
export async function storeEntries(sql: Sql, entries: readonly NewEntry[]): Promise<void> {
  await sql.query(writeEntries, [
    ...columnsOf(entries, 'id', 'actor', 'action', 'ip_address', 'createdAt', 'details'),
    ...columnsOf(entries, 'noted_seq', 'noted_seal', 'mac'),
  ]);
}

/** The largest age of the head that entries note. While entries are written, it takes one small query per interval. */
const defaultNoteMs = 1_000;

/** The result for one entry of a batch; null: it is committed. */
interface Stored {
  failure: unknown;
}

/**
 * Writes the audit log. Each entry is written with its own MAC; the `Sealer` chains it about a second later. Until
 * then, the deletion of a whole entry cannot be detected.
 *
 * Each entry also notes the highest head of the chain that this process has seen. If the database is set back to an
 * older state while the process runs, its entries still note the newer head, which reveals this. So restart the gateway
 * after a restore.
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
    const store = (all: NewEntry[]): Promise<Stored[]> =>
      apartOnBadData(all, {
        async run(entries): Promise<Stored[]> {
          await storeEntries(database, entries);
          return entries.map(() => ({ failure: null }));
        },
        // A last resort, because texts are sanitized for PostgreSQL.
        refused(failure, { action }) {
          log.error({ err: failure, action }, 'audit entry refused by PostgreSQL');
          return { failure };
        },
      });
    this.#batcher = new Batcher(store, {
      maxBatch: 256,
      // Two, so that entries that arrive during a commit need not wait for its end.
      maxRunning: 2,
      maxWaiting: 5_000,
      bytes: { of: (entry) => entry.details.length, maxBatch: 1024 * 1024, maxWaiting: 16 * 1024 * 1024 },
    });
  }

  /** Writes entries in the caller's transaction, so that the change and its entry commit together. */
  async write(sql: Sql, ...entries: AuditEntry[]): Promise<void> {
    if (entries.length > 0)
      await storeEntries(
        sql,
        entries.map((entry) => this.#newEntry(entry)),
      );
  }

  /**
   * Writes an entry, batched with concurrent ones. Resolves after the commit.
   *
   * @throws the database's error; BatcherFull when too many entries wait.
   */
  async append(entry: AuditEntry): Promise<void> {
    const { failure } = await this.#batcher.add(this.#newEntry(entry));
    if (failure !== null) throw failure;
  }

  #newEntry(entry: AuditEntry): NewEntry {
    // One query at a time: with a slow database, several would use up the connections that entries need.
    if (!this.#looking && performance.now() - this.#lookedAtMs >= this.#noteMs) {
      this.#lookedAtMs = performance.now();
      this.#looking = true;
      // Not awaited: a later entry notes the result. If the database is down, writing the entries fails anyway.
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
