/**
 * Notices when this process did not run for a while: it was suspended, or its event loop was blocked.
 *
 * A question looks at the clock, too: what arrived during a stall may be handled before the timer runs.
 */
export class Stalls {
  readonly #limitMs: number;
  readonly #timer: NodeJS.Timeout;
  #lookedAtMs = performance.now();
  #endedAtMs = Number.NEGATIVE_INFINITY;

  /** @param limitMs how long the process must not have run to count as a stall. Looks ten times as often. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#timer = setInterval(() => this.#look(), limitMs / 10);
    this.#timer.unref();
  }

  /** Whether a stall ended after this time, in milliseconds of `performance.now()`. */
  since(ms: number): boolean {
    this.#look();
    return this.#endedAtMs > ms;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs > this.#limitMs) this.#endedAtMs = nowMs;
    this.#lookedAtMs = nowMs;
  }
}
