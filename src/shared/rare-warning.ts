/** One warning a minute is seen; one for each event of a flood would fill the log. */
const quietMs = 60_000;

/** Counts events that operators should hear of, and warns of them at most once a minute. */
export class RareWarning {
  readonly #now: () => number;
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** @param now milliseconds, of any clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts `events` more of them. */
  add(events = 1): void {
    this.#count += events;
  }

  /**
   * Calls `warn` with the count and starts a new one; does nothing when there is nothing to count, or when the last warning is
   * less than a minute old.
   */
  tell(warn: (count: number) => void): void {
    if (this.#count === 0 || this.#now() < this.#quietUntilMs) return;
    this.#quietUntilMs = this.#now() + quietMs;
    const count = this.#count;
    this.#count = 0;
    warn(count);
  }
}
