import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';

/**
 * Counts in memory that are written every few seconds, with one statement for all keys, so that counting costs the hot
 * path no statement. What was not written yet is lost when the process crashes. When a write fails, its counts are
 * written with the next ones.
 */
export class FlushedCounts<Counts> {
  readonly #add: (to: Counts, more: Counts) => void;
  readonly #write: (rows: Counts[]) => Promise<void>;
  readonly #log: Log;
  readonly #name: string;
  readonly #poller: Poller;
  #rows = new Map<string, Counts>();

  /** @param options.add adds the second counts to the first; `write` adds the counts to those in the database. */
  constructor(options: {
    name: string;
    flushMs: number;
    add: (to: Counts, more: Counts) => void;
    write: (rows: Counts[]) => Promise<void>;
    log: Log;
  }) {
    const { name, flushMs, add, write, log } = options;
    this.#add = add;
    this.#write = write;
    this.#log = log;
    this.#name = name;
    const work = async () => {
      await this.#flush();
      return 'idle' as const;
    };
    this.#poller = new Poller({ name, idleMs: flushMs, log, work });
  }

  /** Adds counts to those of a key. Takes about a microsecond, and never waits. */
  count(key: string, counts: Counts): void {
    const known = this.#rows.get(key);
    if (known) this.#add(known, counts);
    else this.#rows.set(key, counts);
  }

  start(): void {
    this.#poller.start();
  }

  /** Stops the loop and writes what is left. An error is logged: only the last seconds of counts are lost. */
  async stop(): Promise<void> {
    await this.#poller.stop();
    await this.#flush().catch((err: unknown) => this.#log.warn({ err, counts: this.#name }, 'last counts not written'));
  }

  async #flush(): Promise<void> {
    if (this.#rows.size === 0) return;
    const rows = this.#rows;
    this.#rows = new Map();
    try {
      await this.#write([...rows.values()]);
    } catch (error) {
      for (const [key, counts] of rows) this.count(key, counts);
      throw error;
    }
  }
}
