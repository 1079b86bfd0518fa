/** By default at most one warning per minute, because one for each event of a flood would fill the log. */
const defaultQuietMs = 60_000;

/** Counts events for a warning to operators, which is logged at most once a minute, or once in another time. */
export class RareWarning {
  readonly #now: () => number;
  readonly #quietMs: number;
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** @param now a clock in milliseconds. */
  constructor(now: () => number = () => performance.now(), quietMs: number = defaultQuietMs) {
    this.#now = now;
    this.#quietMs = quietMs;
  }

  /** Adds to the count. */
  add(events = 1): void {
    this.#count += events;
  }

  /**
   * Calls `warn` with the count and resets it. Has no effect when the count is 0, or when the last warning is less than
   * this time ago.
   */
  tell(warn: (count: number) => void): void {
    if (this.#count === 0 || this.#now() < this.#quietUntilMs) return;
    this.#quietUntilMs = this.#now() + this.#quietMs;
    const count = this.#count;
    this.#count = 0;
    warn(count);
  }
}
