/** Long enough for a stable rate, short enough to follow the beginning and the end of a burst. */
const windowMs = 500;

/** Measures how often `count` is called per second: the higher rate of the current and the previous window. */
export class ArrivalRate {
  #windowEndMs = 0;
  #current = 0;
  #previous = 0;

  count(nowMs: number = performance.now()): void {
    this.#turn(nowMs);
    this.#current++;
  }

  get perSecond(): number {
    this.#turn(performance.now());
    return (Math.max(this.#current, this.#previous) * 1000) / windowMs;
  }

  #turn(nowMs: number): void {
    if (nowMs < this.#windowEndMs) return;
    this.#previous = nowMs < this.#windowEndMs + windowMs ? this.#current : 0;
    this.#current = 0;
    this.#windowEndMs = nowMs + windowMs;
  }
}
