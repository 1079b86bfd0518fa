/** Long enough that a pause between two packets of a slow line does not count as a stop. */
const windowMs = 2_000;

/** How fast the bytes of one body arrive, over the last two to four seconds. */
export class Arrival {
  readonly #beganMs: number;
  #previous: { fromMs: number; bytes: number };
  #current: { fromMs: number; bytes: number };

  /** @param nowMs of a clock that only goes forward. */
  constructor(nowMs: number) {
    this.#beganMs = nowMs;
    this.#previous = { fromMs: nowMs, bytes: 0 };
    this.#current = { fromMs: nowMs, bytes: 0 };
  }

  add(bytes: number, nowMs: number): void {
    this.#roll(nowMs);
    this.#current.bytes += bytes;
  }

  /** Bytes a second; infinite for a body of less than two seconds, whose rate cannot be told yet. */
  rate(nowMs: number): number {
    if (nowMs - this.#beganMs < windowMs) return Number.POSITIVE_INFINITY;
    this.#roll(nowMs);
    const elapsedMs = nowMs - this.#previous.fromMs;
    return ((this.#previous.bytes + this.#current.bytes) * 1000) / Math.max(elapsedMs, windowMs);
  }

  #roll(nowMs: number): void {
    if (nowMs - this.#current.fromMs < windowMs) return;
    // Two windows without a byte: what came before them no longer counts.
    const isStale = nowMs - this.#current.fromMs >= 2 * windowMs;
    this.#previous = isStale ? { fromMs: nowMs - windowMs, bytes: 0 } : this.#current;
    this.#current = { fromMs: nowMs, bytes: 0 };
  }
}
