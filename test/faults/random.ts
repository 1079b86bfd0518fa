import { createHash } from 'node:crypto';

/** A deterministic source of choices: the same seed makes the same choices on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 (inclusive) to 1 (exclusive): mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[Math.floor(this.next() * choices.length)];
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, key: this.next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  }
}

/** A choice that depends on nothing but its name, so that the order of requests does not matter. */
export const randomFor = (...names: (string | number)[]): Random =>
  new Random(createHash('sha256').update(names.join('/')).digest().readUInt32BE());
