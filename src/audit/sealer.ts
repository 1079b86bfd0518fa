import type { Database } from '../database/database.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import { whileChainIsHeld } from './chain.ts';
import { readSeals } from './retired-keys.ts';
import { sealNext } from './seal-next.ts';
import type { ChainPoint } from './seals.ts';

/** The longest time that an entry normally waits for its seal. */
const idleMs = 1_000;
/** The interval for logging the head. Each line is a point that the chain can be verified against later. */
const headLogMs = 60_000;

const anyUnsealed = {
  name: 'any_unsealed_audit_entry',
  text: 'select 1 from audit_logs where seq is null and foreign_at is null limit 1',
};
/**
 * Adds committed entries to the chain: each gets the next place, and a seal that covers all entries before it. An
 * advisory lock ensures that only one process seals at a time.
 */
export class Sealer {
  readonly #database: Database;
  readonly #keyring: Keyring;
  readonly #log: Log;
  readonly #poller: Poller;
  #head: ChainPoint | null = null;
  #loggedSeq = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ database, keyring, log }: { database: Database; keyring: Keyring; log: Log }) {
    this.#database = database;
    this.#keyring = keyring;
    this.#log = log;
    const work = async () => {
      if ((await database.query(anyUnsealed, [])).length > 0) await this.seal();
      if (performance.now() - this.#loggedAtMs >= headLogMs) this.#logHead();
      return 'idle' as const;
    };
    this.#poller = new Poller({ name: 'seals of the audit log', idleMs, log, work });
  }

  start(): void {
    this.#poller.start();
  }

  /** Stops the loop, tries to seal the remaining entries, and logs the head. */
  async stop(): Promise<void> {
    await this.#poller.stop();
    await this.seal().catch((err: unknown) => this.#log.warn({ err }, 'last audit entries not sealed yet'));
    this.#logHead();
  }

  /**
   * Seals all committed entries. Rows that the gateway did not write are marked as foreign and stay outside the chain.
   *
   * @returns the number of sealed entries.
   * @throws Tampered when an end of the chain is not genuine; otherwise the database's error.
   */
  async seal(): Promise<number> {
    let sealed = 0;
    for (;;) {
      const batch = await this.#sealBatch();
      sealed += batch.sealed;
      if (!batch.more) return sealed;
    }
  }

  async #sealBatch(): Promise<{ more: boolean; sealed: number }> {
    const { more, foreign, points } = await whileChainIsHeld(this.#database, async (sql) =>
      sealNext(sql, await readSeals(sql, this.#keyring)),
    );
    for (const id of foreign) this.#log.warn({ id }, 'foreign row found in the audit log');
    this.#head = points.at(-1) ?? this.#head;
    return { more, sealed: points.length };
  }

  #logHead(): void {
    if (!this.#head || this.#head.seq === this.#loggedSeq) return;
    this.#log.info({ seq: this.#head.seq, seal: this.#head.seal.toString('hex') }, 'audit log head');
    this.#loggedSeq = this.#head.seq;
    this.#loggedAtMs = performance.now();
  }
}
