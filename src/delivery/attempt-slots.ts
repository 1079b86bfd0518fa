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
    return this.#both(owner, this.#accounts.acquireDirect(owner.accountId, nowMs), () =>
      this.#consumers.acquireDirect(owner.consumerId, nowMs),
    );
  }

  /** As `Slots.acquire`. */
  acquire(owner: AttemptOwner, holder: string, nowMs: number): SlotOrWait {
    return this.#both(owner, this.#accounts.acquire(owner.accountId, holder, nowMs), () =>
      this.#consumers.acquire(owner.consumerId, holder, nowMs),
    );
  }

  #both(owner: AttemptOwner, ofAccount: SlotOrWait, acquireOwn: () => SlotOrWait): SlotOrWait {
    const consumers = this.#consumersOf.get(owner.accountId);
    if (consumers) consumers.add(owner.consumerId);
    else this.#consumersOf.set(owner.accountId, new Set([owner.consumerId]));
    if ('waitMs' in ofAccount) return ofAccount;
    const own = acquireOwn();
    if ('waitMs' in own) {
      ofAccount.release('unused');
      return own;
    }
    let isReleased = false;
    const release: Slot['release'] = (how) => {
      if (isReleased) return;
      isReleased = true;
      ofAccount.release(how);
      own.release(how);
      if (this.#accounts.inFlight(owner.accountId) === 0) this.#consumersOf.delete(owner.accountId);
      this.onReleased(owner);
    };
    return { release };
  }
}
