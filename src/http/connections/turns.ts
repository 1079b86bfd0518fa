/** Short enough that another client waits for a few of these at most, long enough for hundreds of requests. */
const turnMs = 10;
/**
 * What a piece sets off, an answer most of all, is done after the turn and so is not in its time: about a millisecond each.
 */
const piecesPerTurn = 8;
/**
 * How long new connections may keep the others waiting. libuv accepts one in each round of the event loop, so that behind a
 * flood of them a client would wait for as many rounds as there are connections before its own: rounds have to be short.
 */
const acceptingMs = 100;

/**
 * Shares the event loop among connections: what one of them sent is parsed in pieces, and once a turn's time is used up,
 * the rest waits behind the other connections.
 */
export class Turns {
  #waiting: (() => void)[] = [];
  #endsMs: number | null = null;
  #isScheduled = false;
  #hasAccepted = false;
  /** Since when turns were passed over for new connections. */
  #acceptingSinceMs: number | null = null;

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

  /** Says that a connection was accepted: others may wait behind it. */
  accepted(): void {
    this.#hasAccepted = true;
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
    const nowMs = performance.now();
    if (this.#passesOver(nowMs)) {
      if (this.#waiting.length > 0) this.#schedule();
      return;
    }
    const endsMs = nowMs + turnMs;
    const waiting = this.#waiting;
    this.#waiting = [];
    let next = 0;
    while (next < Math.min(waiting.length, piecesPerTurn) && performance.now() < endsMs) waiting[next++]?.();
    // What was put off in this turn goes behind what waited before.
    this.#waiting = [...waiting.slice(next), ...this.#waiting];
    if (this.#waiting.length > 0) this.#schedule();
  }

  #passesOver(nowMs: number): boolean {
    const hasAccepted = this.#hasAccepted;
    this.#hasAccepted = false;
    this.#acceptingSinceMs ??= nowMs;
    if (hasAccepted && nowMs - this.#acceptingSinceMs < acceptingMs) return true;
    this.#acceptingSinceMs = null;
    return false;
  }
}
