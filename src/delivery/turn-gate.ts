import { LRUCache } from 'lru-cache';

/** The assumed duration of a turn until the first one of an owner has ended. */
const firstGuessMs = 200;
/** Owners whose mean duration of a turn is remembered. */
const keptMeans = 10_000;
/** How long a reserved turn is kept after it is due. Then the next holder gets it. */
const ticketGraceMs = 30_000;
const shortestWaitMs = 100;

/** The owner of a set of turns: an account with its attempts, or a destination with its messages. */
interface Owner {
  /** The weights of all turns that are taken. */
  inFlight: number;
  /** The part of `inFlight` that the relay has taken. */
  direct: number;
  /** Reserved turns by holder, in the order of asking. */
  tickets: Map<string, Ticket>;
}

interface Ticket {
  /** The time from which the holder may ask again. */
  dueMs: number;
  weight: number;
}

/**
 * A turn, which is left once (later calls of `leave` do nothing), or the time to wait before asking again. A turn that
 * was left `unused` does not count for the mean duration.
 */
export type Turn = HeldTurn | { waitMs: number };
export interface HeldTurn {
  leave(how?: 'unused'): void;
}

/**
 * Limits the concurrent work of each owner in this process. A turn is one of the owner's slots. Nothing waits inside
 * the gate: a caller that finds no free turn gets a reservation and the time to ask again. So work for a slow consumer
 * or destination occupies no worker slot while it waits.
 *
 * All times are milliseconds of `performance.now()`, which no change of the machine's clock affects.
 */
export class TurnGate {
  readonly limit: number;
  readonly #owners = new Map<string, Owner>();
  /** The moving average of a turn's duration, in milliseconds, by owner. */
  readonly #means = new LRUCache<string, number>({ max: keptMeans });
  /** Called after a turn of this owner was left. */
  onLeft: (ownerId: string) => void = () => undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** For each owner with turns in flight or reserved: the number of turns that the relay cannot take. */
  busy(nowMs: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [id, owner] of this.#owners) {
      const free = this.#freeForRelay(owner, nowMs);
      if (owner.inFlight === 0 && owner.tickets.size === 0) this.#owners.delete(id);
      else counts.set(id, this.limit - free);
    }
    return counts;
  }

  /** The mean duration of an owner's latest turns, in milliseconds. */
  meanMs(ownerId: string): number {
    return this.#means.get(ownerId) ?? firstGuessMs;
  }

  /** Takes a turn for the relay, without a reservation when none is free: the event stays in the relay's queue. */
  enterDirect(ownerId: string, nowMs: number): Turn {
    const owner = this.#owner(ownerId);
    if (this.#freeForRelay(owner, nowMs) <= 0) return { waitMs: shortestWaitMs };
    owner.direct++;
    return this.#enter(ownerId, owner, nowMs, { left: () => owner.direct-- });
  }

  /**
   * Takes a turn for a workflow, or reserves one and returns the milliseconds after which to ask again.
   *
   * @param weight what the turn counts of the limit; a turn that weighs more than the limit is taken alone
   */
  enter(ownerId: string, holder: string, nowMs: number, weight = 1): Turn {
    const owner = this.#owner(ownerId);
    const ahead = weightAhead(owner.tickets, holder, nowMs);
    if (owner.inFlight + ahead + weight <= this.limit || owner.inFlight + ahead === 0) {
      owner.tickets.delete(holder);
      return this.#enter(ownerId, owner, nowMs, { weight });
    }
    const rounds = Math.ceil((ahead + weight) / this.limit);
    const waitMs = Math.max(shortestWaitMs, Math.ceil(rounds * this.meanMs(ownerId)));
    if (!owner.tickets.has(holder)) owner.tickets.set(holder, { dueMs: nowMs + waitMs, weight });
    return { waitMs };
  }

  /**
   * The turns that the relay may take. While workflows wait, at most half of all turns, so that neither side starves.
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

  #enter(
    id: string,
    owner: Owner,
    enteredMs: number,
    { weight = 1, left }: { weight?: number; left?: () => void },
  ): Turn {
    owner.inFlight += weight;
    let isLeft = false;
    return {
      leave: (how) => {
        if (isLeft) return;
        isLeft = true;
        left?.();
        owner.inFlight -= weight;
        // An exponential moving average over about the last ten turns.
        const meanMs = this.meanMs(id);
        if (how !== 'unused') this.#means.set(id, meanMs + (performance.now() - enteredMs - meanMs) / 10);
        if (owner.inFlight === 0 && owner.tickets.size === 0) this.#owners.delete(id);
        this.onLeft(id);
      },
    };
  }
}

const isAbandoned = ({ dueMs }: Ticket, nowMs: number) => dueMs + ticketGraceMs < nowMs;

/**
 * Removes abandoned reservations up to the first valid one. A holder may have asked another process in the meantime, or
 * may need no turn any more.
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
