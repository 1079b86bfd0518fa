import { LRUCache } from 'lru-cache';
import { networkOf } from '../network.ts';

/** Wrong tokens that one address may try in a minute before it gets 429 (design, section 6). */
const allowed = 10;
const windowMs = 60_000;
/** Addresses that are remembered; beyond them the oldest is forgotten, so that a crowd of addresses fills no memory. */
const maxAddresses = 50_000;

interface Tries {
  count: number;
}

/** What one more wrong token of an address is. */
export interface WrongToken {
  limited: boolean;
  /** The first that is refused with 429 in this window: one entry tells of it, not one for each of a flood. */
  first: boolean;
  retryAfterS: number;
}

/** Counts wrong tokens by address, in windows of a minute. A right token is never looked up here. */
export class WrongTokens {
  readonly #tries: LRUCache<string, Tries>;

  /** @param clock milliseconds that only go forward, whatever somebody sets the time to. */
  constructor(clock: { now(): number } = performance) {
    this.#tries = new LRUCache({ max: maxAddresses, ttl: windowMs, perf: clock });
  }

  /** Counts one more. */
  add(address: string): WrongToken {
    const key = networkOf(address);
    const tries = this.#tries.get(key) ?? { count: 0 };
    if (tries.count === 0) this.#tries.set(key, tries);
    tries.count += 1;
    return {
      limited: tries.count > allowed,
      first: tries.count === allowed + 1,
      retryAfterS: Math.max(1, Math.ceil(this.#tries.getRemainingTTL(key) / 1000)),
    };
  }
}
