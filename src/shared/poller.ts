import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';

const firstErrorDelayMs = 100;
const longestErrorDelayMs = 5_000;

/** The result of one round: `more` starts the next round immediately, `idle` waits for `wake()` or `idleMs`. */
export type Round = 'more' | 'idle';

/**
 * A loop that polls for work. It runs rounds while there is work, then sleeps until it is woken. It sleeps for at most
 * `idleMs`, because a wake-up can get lost. A round that throws is retried with backoff.
 */
export class Poller {
  readonly #options: { name: string; idleMs: number; log: Log; work: () => Promise<Round> };
  readonly #stopping = new AbortController();
  #woken = false;
  #sleeper: (() => void) | null = null;
  #running: Promise<void> | null = null;

  constructor(options: { name: string; idleMs: number; log: Log; work: () => Promise<Round> }) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  wake(): void {
    this.#woken = true;
    this.#sleeper?.();
  }

  /** Ends the loop after the round in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#sleeper?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { name, work, log } = this.#options;
    const { signal } = this.#stopping;
    let errorDelayMs = firstErrorDelayMs;
    while (!signal.aborted) {
      this.#woken = false;
      try {
        const round = await work();
        errorDelayMs = firstErrorDelayMs;
        if (round === 'idle' && !signal.aborted) await this.#sleep();
      } catch (error) {
        // What the round needed may be closed already: no failure that an operator could mend.
        if (signal.aborted) return log.debug({ poller: name, err: error }, 'poller round failed during the stop');
        log.warn({ poller: name, err: error, againInMs: errorDelayMs }, 'poller round failed, retrying');
        await sleep(errorDelayMs, undefined, { signal }).catch(() => undefined);
        errorDelayMs = Math.min(errorDelayMs * 2, longestErrorDelayMs);
      }
    }
  }

  #sleep(): Promise<void> {
    if (this.#woken) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#sleeper = null;
        resolve();
      };
      const timer = setTimeout(done, this.#options.idleMs);
      this.#sleeper = done;
    });
  }
}
