/** All requests for the events of a run, in the order of arrival. */
export interface ArrivalReport {
  /** The numbers of the events. */
  events: Float64Array;
  /** When they arrived: see `nowMs`. */
  atMs: Float64Array;
  /** The statuses with which they were answered. */
  statuses: Float64Array;
}

/** The run under which the deliveries of a consumer other than `default` are counted. */
export const ofConsumer = (run: string, consumer: string) => `${run}~${consumer}`;

/** The deliveries of one run, in memory. */
export class Arrivals {
  readonly #events: number[] = [];
  readonly #atMs: number[] = [];
  readonly #statuses: number[] = [];
  readonly #attempted = new Set<number>();
  readonly #delivered = new Set<number>();
  #awaited: { events: Set<number>; resolve(): void } | null = null;

  /** @returns the status of the answer: 500 to the first attempt of an event if `firstFails`, else 200 */
  add(event: number, atMs: number, firstFails: boolean): number {
    const fails = firstFails && !this.#attempted.has(event);
    const status = fails ? 500 : 200;
    this.#events.push(event);
    this.#atMs.push(atMs);
    this.#statuses.push(status);
    if (fails) this.#attempted.add(event);
    if (!fails) this.#deliver(event);
    return status;
  }

  /** Resolves when all these events have been delivered, or after `limitMs`. */
  async until(events: Float64Array, limitMs: number): Promise<void> {
    const missing = new Set(events).difference(this.#delivered);
    if (missing.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited = { events: missing, resolve };
    const timer = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(timer);
    this.#awaited = null;
  }

  report(): ArrivalReport {
    return {
      events: Float64Array.from(this.#events),
      atMs: Float64Array.from(this.#atMs),
      statuses: Float64Array.from(this.#statuses),
    };
  }
  #deliver(event: number): void {
    this.#delivered.add(event);
    if (!this.#awaited?.events.delete(event)) return;
    if (this.#awaited.events.size === 0) this.#awaited.resolve();
  }
}
