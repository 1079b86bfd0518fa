import { Problem } from '../problem.ts';

/** Seconds after which a refused client may try again: a search takes 2 s, and other calls free a slot at any time. */
const retryAfterS = 5;

/** Limits how many calls of one kind a process runs at a time, and how many wait for them. */
export class CallLimit {
  readonly #kind: string;
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  /** @param options.kind in the plural, for the error */
  constructor(options: { kind: string; atOnce: number; maxWaiting: number }) {
    this.#kind = options.kind;
    this.#atOnce = options.atOnce;
    this.#maxWaiting = options.maxWaiting;
  }

  /**
   * Runs `work` when a slot is free. A call whose signal is aborted while it waits leaves the queue.
   *
   * @throws Problem `too_many_calls`, at once, when enough calls wait already; later the signal's reason.
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce && this.#waiting.size >= this.#maxWaiting)
      throw new Problem('too_many_calls', `this process has too many ${this.#kind}; try again later`, {
        headers: { 'retry-after': String(retryAfterS) },
      });
    return this.#inSlot(signal, work);
  }

  async #inSlot<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#freeSlot(signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const [next] = this.#waiting;
      // The next call takes the slot of this one.
      if (next) next();
      else this.#running -= 1;
    }
  }

  #freeSlot(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = () => {
      signal.removeEventListener('abort', leave);
      this.#waiting.delete(take);
    };
    const take = () => {
      end();
      resolve();
    };
    const leave = () => {
      end();
      reject(signal.reason);
    };
    this.#waiting.add(take);
    signal.addEventListener('abort', leave);
    return promise;
  }
}
