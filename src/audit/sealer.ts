import type { Database } from '../database/database.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import { whileChainIsHeld } from './chain.ts';
import { readSeals } from './retired-keys.ts';
import { sealNext } from './seal-next.ts';
import type { ChainPoint } from './seals.ts';

/** How long an entry waits for its seal at most, when nothing is wrong. */
const idleMs = 1_000;
/** The head is logged at most so often: each line is a point that the chain can be checked against later. */
const headLogMs = 60_000;

const anyUnsealed = {
  name: 'any_unsealed_audit_entry',
  text: 'select 1 from audit_logs where seq is null and foreign_at is null limit 1',
};
/**
 * Chains the entries that are committed: each gets the next place and a seal over everything before it. One at a time works
 * (an advisory lock), whichever process it is in.
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

  /** Ends the loop, seals what is left if it can, and logs the head. */
  async stop(): Promise<void> {
    await this.#poller.stop();
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
      if (!batch.more) return sealed;
    }
  }

  async #sealBatch(): Promise<{ more: boolean; sealed: number }> {
    const { more, foreign, points } = await whileChainIsHeld(this.#database, async (sql) =>
      sealNext(sql, await readSeals(sql, this.#keyring)),
    );
    for (const id of foreign) this.#log.warn({ id }, 'a row of the audit log was not written by the gateway');
    this.#head = points.at(-1) ?? this.#head;
    return { more, sealed: points.length };
  }

  #logHead(): void {
    if (!this.#head || this.#head.seq === this.#loggedSeq) return;
    this.#log.info({ seq: this.#head.seq, seal: this.#head.seal.toString('hex') }, 'the head of the audit log');
    this.#loggedSeq = this.#head.seq;
    this.#loggedAtMs = performance.now();
  }
}
