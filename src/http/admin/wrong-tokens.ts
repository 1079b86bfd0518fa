import { networkOf } from '../network.ts';
import { WindowCounts } from '../window-counts.ts';

/** Wrong tokens that one address may try in a minute. Further ones get 429, after growing delays. */
const allowed = 10;
/** Addresses that are remembered, so that many addresses cannot fill the memory. */
const maxAddresses = 50_000;

/** The result of counting one wrong token. */
export interface WrongToken {
  /** The number of wrong tokens beyond the allowed ones in this window; 0 while the address may still try. */
  excess: number;
  retryAfterS: number;
}

/** Counts wrong tokens by client network, in windows of a minute. Right tokens are never looked up here. */
export class WrongTokens {
  readonly #tries: WindowCounts;

  /** @param clock as of `WindowCounts` */
  constructor(clock: { now(): number } = performance) {
    this.#tries = new WindowCounts({ most: maxAddresses, clock });
  }

  /** Counts one wrong token. */
  add(address: string): WrongToken {
    const { count, retryAfterS } = this.#tries.add(networkOf(address));
    return { excess: Math.max(0, count - allowed), retryAfterS };
  }
}
