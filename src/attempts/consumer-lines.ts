import type { AttemptOwner, AttemptSlots } from '../delivery/attempt-slots.ts';
import type { Slot } from '../delivery/slots.ts';

/** A consumer that answers as quickly as this, on average, does not slow its line down: the gateway does. */
export const quickMs = 100;
/** A line of this length is worth a short wait of those who accept more. */
const crowdedLine = 48;
const longestWaitMs = 25;

type Begin = (slot: Slot) => void;

/** The lines of events that wait in memory for a slot of their consumer, first come, first served. */
export class ConsumerLines {
  readonly #slots: AttemptSlots;
  readonly #lines = new Map<string, Begin[]>();
  /** The consumers of each account that have a line. */
  readonly #ofAccount = new Map<string, Set<string>>();
  #size = 0;
  /** Those who wait until a line is shorter. */
  #waiting: (() => void)[] = [];
  #stopped = false;

  constructor(slots: AttemptSlots) {
    this.#slots = slots;
    slots.onReleased = (owner) => this.#released(owner);
  }

  /** The events in all lines. */
  get size(): number {
    return this.#size;
  }

  /** The events in the line of a consumer. */
  of(consumerId: string): number {
    return this.#lines.get(consumerId)?.length ?? 0;
  }

  /** The events in the lines of all consumers of an account. */
  ofAccount(accountId: string): number {
    let size = 0;
    for (const id of this.#ofAccount.get(accountId) ?? []) size += this.of(id);
    return size;
  }

  /** @param begin is called with the event's slot. */
  join({ consumerId, accountId }: AttemptOwner, begin: Begin): void {
    const line = this.#lines.get(consumerId) ?? [];
    this.#lines.set(consumerId, line);
    line.push(begin);
    this.#size++;
    const siblings = this.#ofAccount.get(accountId) ?? new Set();
    this.#ofAccount.set(accountId, siblings.add(consumerId));
    this.#advance(accountId);
  }

  /** Waits while the line of one of these consumers is long although it is quick, for at most 25 ms. */
  async untilShorter(consumerIds: readonly string[]): Promise<void> {
    if (!consumerIds.some((id) => this.#isCrowded(id))) return;
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

  #released({ consumerId, accountId }: AttemptOwner): void {
    this.#advance(accountId);
    if (this.#waiting.length > 0 && !this.#isCrowded(consumerId)) for (const goOn of this.#waiting.splice(0)) goOn();
  }

  /**
   * Gives the free slots of an account to the events in the lines of its consumers. The consumer with the fewest attempts
   * in flight comes first, so that two busy ones leave a third one its part.
   */
  #advance(accountId: string): void {
    const consumers = this.#ofAccount.get(accountId);
    if (this.#stopped || !consumers) return;
    const withoutSlot = new Set<string>();
    for (let id = this.#next(consumers, withoutSlot); id !== null; id = this.#next(consumers, withoutSlot)) {
      const slot = this.#slots.acquireDirect({ consumerId: id, accountId }, performance.now());
      if ('waitMs' in slot) withoutSlot.add(id);
      else this.#begin({ consumerId: id, accountId }, consumers, slot);
    }
  }

  #next(consumers: ReadonlySet<string>, except: ReadonlySet<string>): string | null {
    let next: string | null = null;
    for (const id of consumers) {
      if (except.has(id)) continue;
      if (next === null || this.#slots.inFlight(id) < this.#slots.inFlight(next)) next = id;
    }
    return next;
  }

  #begin({ consumerId, accountId }: AttemptOwner, consumers: Set<string>, slot: Slot): void {
    const line = this.#lines.get(consumerId);
    const begin = line?.shift();
    if (line?.length === 0) {
      this.#lines.delete(consumerId);
      consumers.delete(consumerId);
      if (consumers.size === 0) this.#ofAccount.delete(accountId);
    }
    this.#size--;
    begin?.(slot);
  }

  #isCrowded(consumerId: string): boolean {
    return this.of(consumerId) >= crowdedLine && this.#slots.meanMs(consumerId) < quickMs;
  }
}
