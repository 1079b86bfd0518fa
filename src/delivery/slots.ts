import { LRUCache } from 'lru-cache';

/** How long a slot is assumed to be held until the first one of an owner was released. */
const firstGuessMs = 200;
/** Owners whose mean time of holding a slot is remembered. */
const keptMeans = 10_000;
/** How long a reserved slot is kept after it is due. Then the next holder gets it. */
const ticketGraceMs = 30_000;
const shortestWaitMs = 100;

/** The owner of a set of slots: an account with its attempts, or a destination with its messages. */
interface Owner {
  /** The weights of all slots that are held. */
  inFlight: number;
  /** The part of `inFlight` that the relay holds. */
  direct: number;
  /** Reserved slots by holder, in the order of asking. */
  tickets: Map<string, Ticket>;
}

interface Ticket {
  /** The time from which the holder may ask again. */
  dueMs: number;
  weight: number;
}

/** A slot that is held. A slot that is released `unused` does not count for the mean time. */
export interface Slot {
  /** Later calls do nothing. */
  release(how?: 'unused'): void;
}

/** A slot, or the time to wait before asking again. */
export type SlotOrWait = Slot | { waitMs: number };

/**
 * Limits the concurrent work of each owner in this process: an owner has `limit` slots. No caller waits in here: one
 * that finds no free slot gets a reservation and the time to ask again. So work for a slow consumer or destination
 * occupies none of the worker's activity slots while it waits.
 *
 * All times are milliseconds of `performance.now()`, which no change of the machine's clock affects.
 */
export class Slots {
  readonly limit: number;
  readonly #owners = new Map<string, Owner>();
  /** How long a slot is held, in milliseconds, by owner: a moving average. */
  readonly #means = new LRUCache<string, number>({ max: keptMeans });
  /** Called after a slot of this owner was released. */
  onReleased: (ownerId: string) => void = () => undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** For each owner with slots held or reserved: the number of slots that the relay cannot acquire. */
  busy(nowMs: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [id, owner] of this.#owners) {
      const free = this.#freeForRelay(owner, nowMs);
      if (owner.inFlight === 0 && owner.tickets.size === 0) this.#owners.delete(id);
      else counts.set(id, this.limit - free);
    }
    return counts;
  }

  /** How long the latest slots of an owner were held on average, in milliseconds. */
  meanMs(ownerId: string): number {
    return this.#means.get(ownerId) ?? firstGuessMs;
  }

  /** The weights of all slots of an owner that are held. */
  inFlight(ownerId: string): number {
    return this.#owners.get(ownerId)?.inFlight ?? 0;
  }

  /** Acquires a slot for the relay, without a reservation when none is free: the event stays in the relay's queue. */
  acquireDirect(ownerId: string, nowMs: number): SlotOrWait {
    const owner = this.#owner(ownerId);
    if (this.#freeForRelay(owner, nowMs) <= 0) return { waitMs: shortestWaitMs };
    owner.direct++;
    return this.#take(ownerId, owner, nowMs, { released: () => owner.direct-- });
  }

  /**
   * Acquires a slot for a workflow, or reserves one and returns the milliseconds after which to ask again.
   *
   * @param weight what the slot counts of the limit; a slot that weighs more than the limit is held alone
   */
  acquire(ownerId: string, holder: string, nowMs: number, weight = 1): SlotOrWait {
    const owner = this.#owner(ownerId);
    const ahead = weightAhead(owner.tickets, holder, nowMs);
    if (owner.inFlight + ahead + weight <= this.limit || owner.inFlight + ahead === 0) {
      owner.tickets.delete(holder);
      return this.#take(ownerId, owner, nowMs, { weight });
    }
    const rounds = Math.ceil((ahead + weight) / this.limit);
    const waitMs = Math.max(shortestWaitMs, Math.ceil(rounds * this.meanMs(ownerId)));
    if (!owner.tickets.has(holder)) owner.tickets.set(holder, { dueMs: nowMs + waitMs, weight });
    return { waitMs };
  }

  /** Drops the reservation of a holder that cannot use it now. */
  giveUp(ownerId: string, holder: string): void {
    this.#owners.get(ownerId)?.tickets.delete(holder);
  }

  /** Reserves a slot before all others for a holder that has just released an unused one. */
  putBack(ownerId: string, holder: string, dueMs: number, weight = 1): void {
    const owner = this.#owner(ownerId);
    owner.tickets = new Map([[holder, { dueMs, weight }], ...owner.tickets]);
  }

  /**
   * The slots that the relay may acquire. While workflows wait, at most half of all, so that neither side starves.
   */
  #freeForRelay(owner: Owner, nowMs: number): number {
    removeAbandoned(owner.tickets, nowMs);
    const free = this.limit - owner.inFlight;
    return owner.tickets.size === 0 ? free : Math.min(free, Math.ceil(this.limit / 2) - owner.direct);
  }

  #owner(id: string): Owner {
    const owner = this.#owners.get(id) ?? { inFlight: 0, direct: 0, tickets: new Map() };
    this.#owners.set(id, owner);
    return owner;
  }

  #take(
    id: string,
    owner: Owner,
    enteredMs: number,
    { weight = 1, released }: { weight?: number; released?: () => void },
  ): SlotOrWait {
    owner.inFlight += weight;
    let isReleased = false;
    return {
      release: (how) => {
        if (isReleased) return;
        isReleased = true;
        released?.();
        owner.inFlight -= weight;
        // An exponential moving average over about the last ten slots.
        const meanMs = this.meanMs(id);
        if (how !== 'unused') this.#means.set(id, meanMs + (performance.now() - enteredMs - meanMs) / 10);
        if (owner.inFlight === 0 && owner.tickets.size === 0) this.#owners.delete(id);
        this.onReleased(id);
      },
    };
  }
}

const isAbandoned = ({ dueMs }: Ticket, nowMs: number) => dueMs + ticketGraceMs < nowMs;

/**
 * Removes abandoned reservations up to the first valid one. A holder may have asked another process in the meantime, or
 * may need no slot any more.
 */
function removeAbandoned(tickets: Map<string, Ticket>, nowMs: number): void {
  for (const [holder, ticket] of tickets) {
    if (!isAbandoned(ticket, nowMs)) return;
    tickets.delete(holder);
  }
}

/** The weight of the reservations before this holder's own (all, if it has none). Removes abandoned ones. */
function weightAhead(tickets: Map<string, Ticket>, holder: string, nowMs: number): number {
  let ahead = 0;
  for (const [other, ticket] of tickets) {
    if (other === holder) return ahead;
    if (isAbandoned(ticket, nowMs)) tickets.delete(other);
    else ahead += ticket.weight;
  }
  return ahead;
}
