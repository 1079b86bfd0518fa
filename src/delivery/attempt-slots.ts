import { type Slot, type SlotOrWait, Slots } from './slots.ts';

/** Whose attempt it is: a consumer and its account. The id of the consumer `default` is that of its account. */
export interface AttemptOwner {
  consumerId: string;
  accountId: string;
}

/** So a slow consumer leaves the others of its account room, and 25 of them do not flood the process. */
export const accountShare = 2;

/** What is free for the relay. */
interface FreeSlots {
  /** Of the consumer and of its account, whichever are fewer. */
  slots: number;
  /** The consumers that share the slots of the account. */
  consumers: number;
}

/**
 * Limits the attempts in flight of this process: of each consumer to `limit` (ACCOUNT_CONCURRENCY), and of each account to
 * twice that. Both are `Slots`, and an attempt holds one of each.
 */
export class AttemptSlots {
  readonly limit: number;
  /** Called after a slot was released. */
  onReleased: (owner: AttemptOwner) => void = () => undefined;
  readonly #consumers: Slots;
  readonly #accounts: Slots;
  /** The consumers of each account that asked for a slot since all slots of the account were free. */
  readonly #consumersOf = new Map<string, Set<string>>();

  constructor(limit: number) {
    this.limit = limit;
    this.#consumers = new Slots(limit);
    this.#accounts = new Slots(limit * accountShare);
  }

  /** The slots that the relay may acquire, for each consumer with slots held or reserved, and for its siblings that asked for one. */
  free(nowMs: number): Map<string, FreeSlots> {
    const ofConsumers = this.#consumers.busy(nowMs);
    const ofAccounts = this.#accounts.busy(nowMs);
    const free = new Map<string, FreeSlots>();
    for (const [id, used] of ofConsumers) free.set(id, { slots: this.limit - used, consumers: 1 });
    for (const [accountId, consumers] of this.#consumersOf) {
      const used = ofAccounts.get(accountId);
      if (used === undefined) this.#consumersOf.delete(accountId);
      else
        for (const id of consumers)
          free.set(id, {
            slots: Math.min(this.limit - (ofConsumers.get(id) ?? 0), this.#accounts.limit - used),
            consumers: consumers.size,
          });
    }
    return free;
  }

  /** As `Slots.meanMs`, of a consumer. */
  meanMs(consumerId: string): number {
    return this.#consumers.meanMs(consumerId);
  }

  /** The attempts of a consumer in flight. */
  inFlight(consumerId: string): number {
    return this.#consumers.inFlight(consumerId);
  }

  /** As `Slots.acquireDirect`. */
  acquireDirect(owner: AttemptOwner, nowMs: number): SlotOrWait {
    const own = this.#consumers.acquireDirect(owner.consumerId, nowMs);
    if ('waitMs' in own) return this.#refused(owner, own);
    const ofAccount = this.#accounts.acquireDirect(owner.accountId, nowMs);
    if (!('waitMs' in ofAccount)) return this.#both(owner, own, ofAccount);
    own.release('unused');
    return this.#refused(owner, ofAccount);
  }

  /**
   * As `Slots.acquire`. A holder whose consumer is full reserves nothing of the account, so that its siblings can use all of
   * it. One that waits for the account keeps its place at its consumer.
   */
  acquire(owner: AttemptOwner, holder: string, nowMs: number): SlotOrWait {
    const { consumerId, accountId } = owner;
    const own = this.#consumers.ask(consumerId, holder, nowMs);
    if ('waitMs' in own) {
      this.#accounts.giveUp(accountId, holder);
      return this.#refused(owner, own);
    }
    const ofAccount = this.#accounts.acquire(accountId, holder, nowMs);
    if (!('waitMs' in ofAccount)) return this.#both(owner, own.take(), ofAccount);
    this.#consumers.reserve(consumerId, holder, nowMs + ofAccount.waitMs);
    return this.#refused(owner, ofAccount);
  }

  #both(owner: AttemptOwner, own: Slot, ofAccount: Slot): Slot {
    this.#asked(owner);
    let isReleased = false;
    return {
      release: (how) => {
        if (isReleased) return;
        isReleased = true;
        ofAccount.release(how);
        own.release(how);
        if (this.#accounts.inFlight(owner.accountId) === 0) this.#consumersOf.delete(owner.accountId);
        this.onReleased(owner);
      },
    };
  }

  #refused(owner: AttemptOwner, wait: { waitMs: number }): { waitMs: number } {
    this.#asked(owner);
    return wait;
  }

  #asked({ consumerId, accountId }: AttemptOwner): void {
    const consumers = this.#consumersOf.get(accountId);
    if (consumers) consumers.add(consumerId);
    else this.#consumersOf.set(accountId, new Set([consumerId]));
  }
}
