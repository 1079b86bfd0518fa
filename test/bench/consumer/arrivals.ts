/** All requests for the events of a run, in the order of arrival. */
export interface ArrivalReport {
  /** The numbers of the events. */
  events: Float64Array;
  /** When they arrived: see `nowMs`. */
  atMs: Float64Array;
  /** The statuses with which they were answered. */
  statuses: Float64Array;
}

/** The deliveries of one run, in memory. */
export class Arrivals {
  readonly #events: number[] = [];
  readonly #atMs: number[] = [];
  readonly #statuses: number[] = [];
  readonly #attempted = new Set<number>();
  readonly #delivered = new Set<number>();
  #awaited: { events: number; resolve(complete: boolean): void } | null = null;

  /** @returns the status of the answer: 500 to the first attempt of an event if `firstFails`, else 200 */
  add(event: number, atMs: number, firstFails: boolean): number {
    const fails = firstFails && !this.#attempted.has(event);
    const status = fails ? 500 : 200;
    this.#events.push(event);
    this.#atMs.push(atMs);
    this.#statuses.push(status);
    if (fails) this.#attempted.add(event);
    if (!fails) this.#delivered.add(event);
    if (this.#awaited && this.#delivered.size >= this.#awaited.events) this.#awaited.resolve(true);
    return status;
  }

  /** Resolves with true when so many different events have been delivered, with false after `limitMs`. */
  async until(events: number, limitMs: number): Promise<boolean> {
    if (this.#delivered.size >= events) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#awaited = { events, resolve };
    const timer = setTimeout(resolve, limitMs, false);
    const complete = await promise;
    clearTimeout(timer);
    this.#awaited = null;
    return complete;
  }

  report(): ArrivalReport {
    return {
      events: Float64Array.from(this.#events),
      atMs: Float64Array.from(this.#atMs),
      statuses: Float64Array.from(this.#statuses),
    };
  }
}
