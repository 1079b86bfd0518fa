import { LRUCache } from 'lru-cache';

/** How long a slot is assumed to be held until the first one of an owner was released. */
const firstGuessMs = 200;
/** Owners whose mean time of holding a slot is remembered. */
const keptMeans = 10_000;
/** How long a holder keeps its place in the line after its reservation is due. */
const ticketGraceMs = 30_000;
/** How long a slot is kept free for a holder after its reservation is due: it may have asked another process. */
const lateMs = 1_000;
/** The part of the slots that is kept free for reservations. The others go to any holder that asks. */
const reservable = 1 / 2;
const shortestWaitMs = 100;
/**
 * Nothing wakes a holder that waits, so this is how long an outage of a consumer may last on after it. An ask costs an
 * activity, a timer and two workflow tasks. So the holders of a long line ask less often: about 50 a second.
 */
const longestWaitMs = { least: 30_000, perHolder: 20, most: 120_000 };
/** Jitter of up to 20 % of the longest wait, so that those that began to wait together do not all ask at the same time. */
const spread = 0.2;

/** The owner of a set of slots: an account with its attempts, or a destination with its messages. */
interface Owner {
  /** The weights of all slots that are held. */
  inFlight: number;
  /** The part of `inFlight` that the relay holds. */
  direct: number;
  /** Reserved slots by holder, in the order of the first asks. */
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
    const asked = this.ask(ownerId, holder, nowMs, weight);
    return 'waitMs' in asked ? asked : asked.take();
  }

  /** As `acquire`, for a caller that may not need the slot: until the slot is taken, the holder keeps its place in the line. */
  ask(ownerId: string, holder: string, nowMs: number, weight = 1): { take(): Slot } | { waitMs: number } {
    const owner = this.#owner(ownerId);
    const meanMs = this.meanMs(ownerId);
    const longestMs = longestWait(owner.tickets.size);
    const { waiting, reserved } = this.#ahead(owner.tickets, holder, { nowMs, meanMs, longestMs });
    if (owner.inFlight + reserved + weight <= this.limit || owner.inFlight + reserved === 0)
      return {
        take: () => {
          owner.tickets.delete(holder);
          return this.#take(ownerId, owner, nowMs, { weight });
        },
      };
    const rounds = Math.ceil((waiting + Math.min(weight, this.limit)) / this.limit);
    const expectedMs = Math.max(shortestWaitMs, rounds * meanMs);
    const waitMs = Math.ceil(Math.min(expectedMs, longestMs * (1 - spread * Math.random())));
    this.reserve(ownerId, holder, nowMs + waitMs, weight);
    return { waitMs };
  }

  /** Drops the reservation of a holder that cannot use it now. */
  giveUp(ownerId: string, holder: string): void {
    this.#owners.get(ownerId)?.tickets.delete(holder);
  }

  /** Reserves a slot for a holder: at its place in the line, or at the end. */
  reserve(ownerId: string, holder: string, dueMs: number, weight = 1): void {
    this.#owner(ownerId).tickets.set(holder, { dueMs, weight });
  }

  /**
   * The slots that the relay may acquire. While workflows wait, at most half of all, so that neither side starves.
   */
  #freeForRelay(owner: Owner, nowMs: number): number {
    removeAbandoned(owner.tickets, nowMs);
    const free = this.limit - owner.inFlight;
    return owner.tickets.size === 0 ? free : Math.min(free, Math.ceil(this.limit / 2) - owner.direct);
  }

  /**
   * The weights of the tickets before this holder's own (of all, if it has none), up to those that make the longest wait,
   * and of those for which slots are kept free: the first ones that are due before a slot acquired now is released.
   * Removes abandoned tickets.
   */
  #ahead(
    tickets: Map<string, Ticket>,
    holder: string,
    { nowMs, meanMs, longestMs }: { nowMs: number; meanMs: number; longestMs: number },
  ): { waiting: number; reserved: number } {
    let [waiting, reserved] = [0, 0];
    for (const [other, ticket] of tickets) {
      if (other === holder || waiting * meanMs > longestMs * this.limit) break;
      if (isAbandoned(ticket, nowMs)) {
        tickets.delete(other);
        continue;
      }
      waiting += ticket.weight;
      const isExpected = ticket.dueMs <= nowMs + meanMs && ticket.dueMs + lateMs >= nowMs;
      if (isExpected && reserved < this.limit * reservable) reserved += ticket.weight;
    }
    return { waiting, reserved };
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
  ): Slot {
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

function longestWait(holders: number): number {
  const { least, perHolder, most } = longestWaitMs;
  return Math.min(most, Math.max(least, holders * perHolder));
}
