import type { Database } from '../database/database.ts';
import { Lane } from '../lane.ts';
import type { Log } from '../log.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { type ChainEnd, checkedEnds, whileChainIsHeld, writeChainEnd } from './chain.ts';
import { contentColumns, type EntryContent } from './entry.ts';
import { beginning, type ChainPoint, createSeals, type Seals } from './seals.ts';

/** How long an entry waits for its seal at most, when nothing is wrong. */
const idleMs = 1_000;
/** The head is logged at most so often: each line is a point that the chain can be checked against later. */
const headLogMs = 60_000;
/** Entries a transaction: about 20 ms of this process's time, in which nothing else happens in it. */
const entriesPerBatch = 1_000;

const readUnsealed = {
  name: 'read_unsealed_audit_entries',
  text: `select ${contentColumns} from audit_logs where seq is null and foreign_at is null order by id limit ${entriesPerBatch}`,
};
const anyUnsealed = {
  name: 'any_unsealed_audit_entry',
  text: 'select 1 from audit_logs where seq is null and foreign_at is null limit 1',
};
const writeSeals = {
  name: 'seal_audit_entries',
  text: `
    update audit_logs a set seq = s.seq, seal = s.seal from unnest($1::uuid[], $2::bigint[], $3::bytea[]) as s (id, seq, seal)
    where a.id = s.id and a.seq is null and a.foreign_at is null
    returning 1`,
};
const markForeign = {
  name: 'mark_foreign_audit_entries',
  text: 'update audit_logs set foreign_at = now() where id = any($1::uuid[]) and seq is null',
};

/**
 * Whether an unsealed row is one that the gateway wrote and that nobody changed. One from before what was purged is not:
 * it is a copy of an entry that was deleted.
 */
export function isOurs(seals: Seals, row: EntryContent & { mac: Buffer }, anchor: ChainEnd | null): boolean {
  if (anchor?.purgedBefore && Number(row.epoch) < Number(anchor.purgedBefore)) return false;
  return seals.entryMac(row).equals(row.mac);
}

/**
 * Chains the entries that are committed: each gets the next place and a seal over everything before it. One at a time works
 * (an advisory lock), whichever process it is in.
 */
export class Sealer {
  readonly #database: Database;
  readonly #seals: Seals;
  readonly #log: Log;
  readonly #lane: Lane;
  #head: ChainPoint | null = null;
  #loggedSeq = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ database, keyring, log }: { database: Database; keyring: Keyring; log: Log }) {
    this.#database = database;
    this.#seals = createSeals(keyring);
    this.#log = log;
    const work = async () => {
      if ((await database.query(anyUnsealed, [])).length > 0) await this.seal();
      if (performance.now() - this.#loggedAtMs >= headLogMs) this.#logHead();
      return 'idle' as const;
    };
    this.#lane = new Lane({ name: 'seals of the audit log', idleMs, log, work });
  }

  start(): void {
    this.#lane.start();
  }

  /** Ends the loop, seals what is left if it can, and logs the head. */
  async stop(): Promise<void> {
    await this.#lane.stop();
    await this.seal().catch((err: unknown) => this.#log.warn({ err }, 'the end of the audit log is not sealed yet'));
    this.#logHead();
  }

  /**
   * Seals all that is committed now. Rows that the gateway did not write are marked instead, and stay outside the chain.
   *
   * @returns how many were sealed.
   * @throws Tampered when it cannot go on from where the chain ends; else what the database throws.
   */
  async seal(): Promise<number> {
    let sealed = 0;
    for (;;) {
      const batch = await this.#sealBatch();
      sealed += batch.sealed;
      if (batch.read < entriesPerBatch) return sealed;
    }
  }

  async #sealBatch(): Promise<{ read: number; sealed: number }> {
    const { read, foreign, points } = await whileChainIsHeld(this.#database, async (sql) => {
      const rows = await sql.query<EntryContent & { mac: Buffer }>(readUnsealed, []);
      const ends = await checkedEnds(sql, this.#seals);
      let head: ChainPoint = ends.head ?? beginning;
      const [ours, foreign]: [typeof rows, typeof rows] = [[], []];
      for (const row of rows) (isOurs(this.#seals, row, ends.anchor) ? ours : foreign).push(row);
      const points = ours.map(({ id, mac }) => {
        const seq = head.seq + 1;
        head = { seq, seal: this.#seals.seal(head.seal, seq, id, mac) };
        return head;
      });
      if (ours.length > 0) {
        const columns = [ours.map(({ id }) => id), points.map(({ seq }) => seq), points.map(({ seal }) => seal)];
        const done = await sql.query(writeSeals, columns);
        // Deleted since they were read; the next round seals what is there then.
        if (done.length < ours.length) throw new Error('entries of the audit log were gone before they were sealed');
        await writeChainEnd(sql, this.#seals, 'head', head);
      }
      if (foreign.length > 0) await sql.query(markForeign, [foreign.map(({ id }) => id)]);
      return { read: rows.length, foreign, points };
    });
    for (const { id } of foreign) this.#log.warn({ id }, 'a row of the audit log was not written by the gateway');
    this.#head = points.at(-1) ?? this.#head;
    return { read, sealed: points.length };
  }

  #logHead(): void {
    if (!this.#head || this.#head.seq === this.#loggedSeq) return;
    this.#log.info({ seq: this.#head.seq, seal: this.#head.seal.toString('hex') }, 'the head of the audit log');
    this.#loggedSeq = this.#head.seq;
    this.#loggedAtMs = performance.now();
  }
}
