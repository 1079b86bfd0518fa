/** Short enough that another client waits for only a few iterations, long enough for hundreds of requests. */
const budgetMs = 10;
/** Parsing a piece causes work afterwards, mostly a response: about 1 ms each, which `budgetMs` does not include. */
const piecesPerIteration = 8;
/**
 * How long new connections may delay the others. libuv accepts one connection in each iteration of the event loop. In a
 * burst of connections, a client waits for one iteration per earlier connection, so these iterations have to be short.
 */
const acceptingMs = 100;

/**
 * Shares the event loop among connections. In each iteration, input is parsed in pieces for at most 10 ms. Input that
 * does not fit into this budget waits in a queue behind that of the other connections.
 */
export class ParsingBudget {
  #waiting: (() => void)[] = [];
  #endsMs: number | null = null;
  #isScheduled = false;
  #hasAccepted = false;
  /** When iterations began to be left to new connections. */
  #acceptingSinceMs: number | null = null;

  /** Whether the budget of this iteration has time left, and no work is queued. */
  hasTime(): boolean {
    if (this.#waiting.length > 0) return false;
    if (this.#endsMs === null) {
      this.#endsMs = performance.now() + budgetMs;
      this.#schedule();
      return true;
    }
    return performance.now() < this.#endsMs;
  }

  /** Reports that a connection was accepted: others may be waiting behind it in the accept queue. */
  accepted(): void {
    this.#hasAccepted = true;
  }

  /** Queues a piece of work for a later iteration. */
  later(work: () => void): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runQueued());
  }

  #runQueued(): void {
    this.#isScheduled = false;
    this.#endsMs = null;
    const nowMs = performance.now();
    if (this.#yieldsToAccepts(nowMs)) {
      if (this.#waiting.length > 0) this.#schedule();
      return;
    }
    const endsMs = nowMs + budgetMs;
    const waiting = this.#waiting;
    this.#waiting = [];
    let next = 0;
    while (next < Math.min(waiting.length, piecesPerIteration) && performance.now() < endsMs) waiting[next++]?.();
    // Work that was queued in this iteration goes behind work that was queued before.
    this.#waiting = [...waiting.slice(next), ...this.#waiting];
    if (this.#waiting.length > 0) this.#schedule();
  }

  #yieldsToAccepts(nowMs: number): boolean {
    const hasAccepted = this.#hasAccepted;
    this.#hasAccepted = false;
    this.#acceptingSinceMs ??= nowMs;
    if (hasAccepted && nowMs - this.#acceptingSinceMs < acceptingMs) return true;
    this.#acceptingSinceMs = null;
    return false;
  }
}
