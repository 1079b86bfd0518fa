import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Reads something at most once per `keptMs`, however often it is asked for, and waits for the reading for `limitMs` at
 * most. A reading that takes longer continues, and no second one is started before it ends.
 */
export class Recent<Value> {
  readonly #read: () => Promise<Value>;
  readonly #keptMs: number;
  readonly #limitMs: number;
  #reading: Promise<Value | null> | null = null;
  #isReading = false;
  #ended: { value: Value | null; beganMs: number } = { value: null, beganMs: Number.NEGATIVE_INFINITY };
  #beganMs = Number.NEGATIVE_INFINITY;

  constructor(read: () => Promise<Value>, times: { keptMs: number; limitMs: number }) {
    this.#read = read;
    this.#keptMs = times.keptMs;
    this.#limitMs = times.limitMs;
  }

  /** The value; null when it could not be read, or not in time. */
  async value(): Promise<Value | null> {
    const limit = new AbortController();
    const late = sleep(this.#limitMs, null, { signal: limit.signal }).catch(() => null);
    try {
      return await Promise.race([this.#current(), late]);
    } finally {
      limit.abort();
    }
  }

  /** The value of the reading that ended last; null when it failed, or began more than `maxAgeMs` ago. */
  last(maxAgeMs: number): Value | null {
    return performance.now() - this.#ended.beganMs <= maxAgeMs ? this.#ended.value : null;
  }

  #current(): Promise<Value | null> {
    const isFresh = this.#isReading || performance.now() - this.#beganMs < this.#keptMs;
    if (this.#reading && isFresh) return this.#reading;
    const beganMs = performance.now();
    this.#beganMs = beganMs;
    this.#isReading = true;
    const reading = this.#read()
      .catch(() => null)
      .then((value) => {
        this.#isReading = false;
        this.#ended = { value, beganMs };
        return value;
      });
    this.#reading = reading;
    return reading;
  }
}
