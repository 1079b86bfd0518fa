/** Long enough that a pause between two packets on a slow connection does not count as a stop. */
const windowMs = 2_000;

/** The rate at which the bytes of one body arrive, over the last two to four seconds. */
export class Arrival {
  readonly #beganMs: number;
  #previous: { fromMs: number; bytes: number };
  #current: { fromMs: number; bytes: number };

  /** @param nowMs of a monotonic clock. */
  constructor(nowMs: number) {
    this.#beganMs = nowMs;
    this.#previous = { fromMs: nowMs, bytes: 0 };
    this.#current = { fromMs: nowMs, bytes: 0 };
  }

  add(bytes: number, nowMs: number): void {
    this.#roll(nowMs);
    this.#current.bytes += bytes;
  }

  /** Bytes per second. Infinite in the first two seconds of a body, when its rate is not known yet. */
  rate(nowMs: number): number {
    if (nowMs - this.#beganMs < windowMs) return Number.POSITIVE_INFINITY;
    this.#roll(nowMs);
    const elapsedMs = nowMs - this.#previous.fromMs;
    return ((this.#previous.bytes + this.#current.bytes) * 1000) / Math.max(elapsedMs, windowMs);
  }

  #roll(nowMs: number): void {
    if (nowMs - this.#current.fromMs < windowMs) return;
    // No byte arrived for two windows, so earlier bytes no longer count.
    const isStale = nowMs - this.#current.fromMs >= 2 * windowMs;
    this.#previous = isStale ? { fromMs: nowMs - windowMs, bytes: 0 } : this.#current;
    this.#current = { fromMs: nowMs, bytes: 0 };
  }
}
