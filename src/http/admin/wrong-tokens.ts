import { LRUCache } from 'lru-cache';
import { networkOf } from '../network.ts';

/** Wrong tokens that one address may try in a minute. Further ones get 429, after growing delays. */
const allowed = 10;
const windowMs = 60_000;
/**
 * Addresses that are remembered, so that many addresses cannot fill the memory. Beyond them, the oldest is forgotten.
 */
const maxAddresses = 50_000;

interface Tries {
  count: number;
}

/** The result of counting one wrong token. */
export interface WrongToken {
  /** The number of wrong tokens beyond the allowed ones in this window; 0 while the address may still try. */
  excess: number;
  retryAfterS: number;
}

/** Counts wrong tokens by client network, in windows of a minute. Right tokens are never looked up here. */
export class WrongTokens {
  readonly #tries: LRUCache<string, Tries>;

  /** @param clock a monotonic clock in milliseconds, so that setting the system time has no effect. */
  constructor(clock: { now(): number } = performance) {
    this.#tries = new LRUCache({ max: maxAddresses, ttl: windowMs, perf: clock });
  }

  /** Counts one wrong token. */
  add(address: string): WrongToken {
    const key = networkOf(address);
    const tries = this.#tries.get(key) ?? { count: 0 };
    if (tries.count === 0) this.#tries.set(key, tries);
    tries.count += 1;
    return {
      excess: Math.max(0, tries.count - allowed),
      retryAfterS: Math.max(1, Math.ceil(this.#tries.getRemainingTTL(key) / 1000)),
    };
  }
}
