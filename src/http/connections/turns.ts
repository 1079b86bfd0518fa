/** Short enough that another client waits for a few of these at most, long enough for hundreds of requests. */
const turnMs = 10;

/**
 * Shares the event loop among connections: what one of them sent is parsed in pieces, and once a turn's time is used up,
 * the rest waits behind the other connections.
 */
export class Turns {
  #waiting: (() => void)[] = [];
  #endsMs: number | null = null;
  #isScheduled = false;

  /** Whether more may be done in this turn of the event loop. */
  hasTime(): boolean {
    if (this.#waiting.length > 0) return false;
    if (this.#endsMs === null) {
      this.#endsMs = performance.now() + turnMs;
      this.#schedule();
      return true;
    }
    return performance.now() < this.#endsMs;
  }

  /** Does a piece of work in a later turn, after what waits already. */
  later(work: () => void): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#endsMs = null;
    const endsMs = performance.now() + turnMs;
    const waiting = this.#waiting;
    this.#waiting = [];
    let next = 0;
    while (next < waiting.length && performance.now() < endsMs) waiting[next++]?.();
    // What was put off in this turn goes behind what waited before.
    this.#waiting = [...waiting.slice(next), ...this.#waiting];
    if (this.#waiting.length > 0) this.#schedule();
  }
}
