/** First guess of how long a turn takes, until the owner has shown it. */
const firstGuessMs = 200;
/** A promised turn is kept this long past its time, then it goes to the next. */
const ticketGraceMs = 30_000;
const shortestWaitMs = 100;

/** Whose turns they are: an account's attempts, or the messages to a destination. */
interface Owner {
  inFlight: number;
  /** Of those, attempts that the relay makes itself. */
  direct: number;
  /** How long a turn takes, a moving mean. */
  meanMs: number;
  /** Promised turns: from when on each holder may ask again, in the order of asking. */
  tickets: Map<string, number>;
}

export type Turn = { leave: () => void } | { waitMs: number };

/**
 * Bounds what one owner has in flight in this process. Nothing waits inside it: who finds no turn free is told when to
 * come again, in the order of asking, so that what goes to a slow consumer or destination holds no slot anywhere.
 */
export class TurnGate {
  readonly limit: number;
  readonly #owners = new Map<string, Owner>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** For each owner with turns in flight or promised, how many the relay must not count on. */
  busy(nowMs: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [id, owner] of this.#owners) {
      const free = this.#freeForRelay(owner, nowMs);
      if (owner.inFlight === 0 && owner.tickets.size === 0) this.#owners.delete(id);
      else counts.set(id, this.limit - free);
    }
    return counts;
  }

  /** Takes a turn for an attempt that the relay makes itself. It gets no ticket: the event stays in the queue. */
  enterDirect(ownerId: string, nowMs: number): Turn {
    const owner = this.#owner(ownerId);
    if (this.#freeForRelay(owner, nowMs) <= 0) return { waitMs: shortestWaitMs };
    owner.direct++;
    return this.#enter(ownerId, owner, nowMs, () => owner.direct--);
  }

  /** Takes a turn for what a workflow asks for, or says after how many milliseconds to ask again. */
  enter(ownerId: string, holder: string, nowMs: number): Turn {
    const owner = this.#owner(ownerId);
    const ahead = ticketsAhead(owner.tickets, holder, nowMs);
    if (owner.inFlight + ahead < this.limit) {
      owner.tickets.delete(holder);
      return this.#enter(ownerId, owner, nowMs, () => undefined);
    }
    const rounds = Math.ceil((ahead + 1) / this.limit);
    const waitMs = Math.max(shortestWaitMs, Math.ceil(rounds * owner.meanMs));
    if (!owner.tickets.has(holder)) owner.tickets.set(holder, nowMs + waitMs);
    return { waitMs };
  }

  /** While workflows wait for turns, the relay takes at most half of them: neither side starves. */
  #freeForRelay(owner: Owner, nowMs: number): number {
    tearUpAbandoned(owner.tickets, nowMs);
    const free = this.limit - owner.inFlight;
    return owner.tickets.size === 0 ? free : Math.min(free, Math.ceil(this.limit / 2) - owner.direct);
  }

  #owner(id: string): Owner {
    const owner = this.#owners.get(id) ?? { inFlight: 0, direct: 0, meanMs: firstGuessMs, tickets: new Map() };
    this.#owners.set(id, owner);
    return owner;
  }

  #enter(id: string, owner: Owner, enteredMs: number, left: () => void): Turn {
    owner.inFlight++;
    return {
      leave: () => {
        left();
        owner.inFlight--;
        // Over about the last ten attempts.
        owner.meanMs += (Date.now() - enteredMs - owner.meanMs) / 10;
        if (owner.inFlight === 0 && owner.tickets.size === 0) this.#owners.delete(id);
      },
    };
  }
}

const isAbandoned = (dueAtMs: number, nowMs: number) => dueAtMs + ticketGraceMs < nowMs;

/**
 * Those before the first one that may still be asked for. Whoever was promised a turn may ask in another process, or not at
 * all any more.
 */
function tearUpAbandoned(tickets: Map<string, number>, nowMs: number): void {
  for (const [holder, dueAtMs] of tickets) {
    if (!isAbandoned(dueAtMs, nowMs)) return;
    tickets.delete(holder);
  }
}

/** Tickets before this holder's own (all, when it has none); abandoned ones are torn up on the way. */
function ticketsAhead(tickets: Map<string, number>, holder: string, nowMs: number): number {
  let ahead = 0;
  for (const [other, dueAtMs] of tickets) {
    if (other === holder) return ahead;
    if (isAbandoned(dueAtMs, nowMs)) tickets.delete(other);
    else ahead++;
  }
  return ahead;
}
