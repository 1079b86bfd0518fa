import { type Slot, type SlotOrWait, Slots } from './slots.ts';

/** Whose attempt it is: a consumer and its account. The id of the consumer `default` is that of its account. */
export interface AttemptOwner {
  consumerId: string;
  accountId: string;
}

/** So a slow consumer leaves the others of its account room, and 25 of them do not flood the process. */
const accountShare = 2;

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

  constructor(limit: number) {
    this.limit = limit;
    this.#consumers = new Slots(limit);
    this.#accounts = new Slots(limit * accountShare);
  }

  /** As `Slots.busy`, by consumer. */
  busy(nowMs: number): Map<string, number> {
    return this.#consumers.busy(nowMs);
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
      this.onReleased(owner);
    };
    return { release };
  }
}
