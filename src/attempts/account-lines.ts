import type { Slot, Slots } from '../delivery/slots.ts';

/** A consumer that answers as quickly as this, on average, does not slow its line down: the gateway does. */
export const quickMs = 100;
/** A line of this length is worth a short wait of those who accept more. */
const crowdedLine = 48;
const longestWaitMs = 25;

/** The lines of events that wait in memory for a slot of their account, first come, first served. */
export class AccountLines {
  readonly #slots: Slots;
  readonly #lines = new Map<string, ((slot: Slot) => void)[]>();
  #size = 0;
  /** Those who wait until a line is shorter. */
  #waiting: (() => void)[] = [];
  #stopped = false;

  constructor(slots: Slots) {
    this.#slots = slots;
    slots.onReleased = (accountId) => this.#advance(accountId);
  }

  /** The events in all lines. */
  get size(): number {
    return this.#size;
  }

  /** The events in the line of an account. */
  of(accountId: string): number {
    return this.#lines.get(accountId)?.length ?? 0;
  }

  /** @param begin is called with the event's slot. */
  join(accountId: string, begin: (slot: Slot) => void): void {
    const line = this.#lines.get(accountId) ?? [];
    this.#lines.set(accountId, line);
    line.push(begin);
    this.#size++;
    this.#advance(accountId);
  }

  /** Waits while the line of one of these accounts is long although its consumer is quick, for at most 25 ms. */
  async untilShorter(accountIds: readonly string[]): Promise<void> {
    if (!accountIds.some((id) => this.#isCrowded(id))) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longestWaitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** From now on, no event gets a slot. */
  stop(): void {
    this.#stopped = true;
  }

  /** Gives the free slots of an account to the events in its line. */
  #advance(accountId: string): void {
    if (this.#stopped) return;
    while (this.of(accountId) > 0) {
      const slot = this.#slots.acquireDirect(accountId, performance.now());
      if ('waitMs' in slot) break;
      this.#next(accountId)?.(slot);
    }
    if (this.#waiting.length > 0 && !this.#isCrowded(accountId)) for (const goOn of this.#waiting.splice(0)) goOn();
  }

  #next(accountId: string): ((slot: Slot) => void) | null {
    const line = this.#lines.get(accountId);
    const first = line?.shift() ?? null;
    if (line?.length === 0) this.#lines.delete(accountId);
    if (first) this.#size--;
    return first;
  }

  #isCrowded(accountId: string): boolean {
    return this.of(accountId) >= crowdedLine && this.#slots.meanMs(accountId) < quickMs;
  }
}
