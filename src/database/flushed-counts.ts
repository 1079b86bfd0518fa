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
  readonly #isDue: (counts: Counts) => boolean;
  readonly #poller: Poller;
  #rows = new Map<string, Counts>();

  /**
   * @param options.add adds the second counts to the first; `write` adds the counts to those in the database; `isDue`: counts
   *   for which it is false are kept until it is true, or until the stop. Without it, all are due.
   */
  constructor(options: {
    name: string;
    flushMs: number;
    add: (to: Counts, more: Counts) => void;
    write: (rows: Counts[]) => Promise<void>;
    isDue?: (counts: Counts) => boolean;
    log: Log;
  }) {
    const { name, flushMs, add, write, isDue = () => true, log } = options;
    this.#add = add;
    this.#write = write;
    this.#log = log;
    this.#name = name;
    this.#isDue = isDue;
    const work = async () => {
      await this.#flush(this.#isDue);
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
    await this.#flush(() => true).catch((err: unknown) =>
      this.#log.warn({ err, counts: this.#name }, 'last counts not written'),
    );
  }

  async #flush(isDue: (counts: Counts) => boolean): Promise<void> {
    const due = [...this.#rows].filter(([, counts]) => isDue(counts));
    if (due.length === 0) return;
    for (const [key] of due) this.#rows.delete(key);
    try {
      await this.#write(due.map(([, counts]) => counts));
    } catch (error) {
      for (const [key, counts] of due) this.count(key, counts);
      throw error;
    }
  }
}
