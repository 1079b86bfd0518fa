import { LRUCache } from 'lru-cache';

const windowMs = 60_000;

/** A count of one key in its window. */
export interface WindowCount {
  count: number;
  /** Whole seconds until the window ends, at least 1. */
  retryAfterS: number;
}

/** Counts by key in windows of a minute. The window of a key begins with its first count. */
export class WindowCounts {
  readonly #counts: LRUCache<string, { count: number }>;

  /**
   * @param options.most the keys that are remembered; beyond them, the oldest is forgotten.
   * @param options.clock a monotonic clock in milliseconds, so that setting the system time has no effect.
   */
  constructor({ most, clock }: { most: number; clock: { now(): number } }) {
    this.#counts = new LRUCache({ max: most, ttl: windowMs, perf: clock, ttlResolution: 0 });
  }

  /** Adds one. */
  add(key: string): WindowCount {
    const counted = this.#counts.get(key) ?? { count: 0 };
    if (counted.count === 0) this.#counts.set(key, counted);
    counted.count += 1;
    return {
      count: counted.count,
      retryAfterS: Math.max(1, Math.ceil(this.#counts.getRemainingTTL(key) / 1000)),
    };
  }
}
