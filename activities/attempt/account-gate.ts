/** First guess of how long an attempt takes, until the account has shown it. */
const firstGuessMs = 200;
/** A promised turn is kept this long past its time, then it goes to the next. */
const ticketGraceMs = 30_000;
const shortestWaitMs = 100;

interface Account {
  inFlight: number;
  /** Of those, attempts that the relay makes itself. */
  direct: number;
  /** How long an attempt takes, a moving mean. */
  meanMs: number;
  /** Promised turns: from when on each event may ask again, in the order of asking. */
  tickets: Map<string, number>;
}

export type Turn = { leave: () => void } | { waitMs: number };

/**
 * Bounds the attempts that one account has in flight in this process. Nothing waits inside it: who finds no turn free
 * is told when to come again, in the order of asking, so that a slow consumer's events hold no slot anywhere.
 */
export class AccountGate {
  readonly limit: number;
  readonly #accounts = new Map<string, Account>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** For each account that has attempts in flight or promised, how many turns the relay must not count on. */
  busy(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [id, account] of this.#accounts) counts.set(id, this.limit - this.#freeForRelay(account));
    return counts;
  }

  /** Takes a turn for an attempt that the relay makes itself. It gets no ticket: the event stays in the queue. */
  enterDirect(accountId: string, nowMs: number): Turn {
    const account = this.#account(accountId);
    if (this.#freeForRelay(account) <= 0) return { waitMs: shortestWaitMs };
    account.direct++;
    return this.#enter(accountId, account, nowMs, () => account.direct--);
  }

  /** Takes a turn for an attempt of a workflow, or says after how many milliseconds to ask again. */
  enter(accountId: string, eventId: string, nowMs: number): Turn {
    const account = this.#account(accountId);
    const ahead = ticketsAhead(account.tickets, eventId, nowMs);
    if (account.inFlight + ahead < this.limit) {
      account.tickets.delete(eventId);
      return this.#enter(accountId, account, nowMs, () => undefined);
    }
    const rounds = Math.ceil((ahead + 1) / this.limit);
    const waitMs = Math.max(shortestWaitMs, Math.ceil(rounds * account.meanMs));
    if (!account.tickets.has(eventId)) account.tickets.set(eventId, nowMs + waitMs);
    return { waitMs };
  }

  /** While workflows wait for turns, the relay takes at most half of them: neither side starves. */
  #freeForRelay(account: Account): number {
    const free = this.limit - account.inFlight;
    return account.tickets.size === 0 ? free : Math.min(free, Math.ceil(this.limit / 2) - account.direct);
  }

  #account(id: string): Account {
    const account = this.#accounts.get(id) ?? { inFlight: 0, direct: 0, meanMs: firstGuessMs, tickets: new Map() };
    this.#accounts.set(id, account);
    return account;
  }

  #enter(id: string, account: Account, enteredMs: number, left: () => void): Turn {
    account.inFlight++;
    return {
      leave: () => {
        left();
        account.inFlight--;
        // Over about the last ten attempts.
        account.meanMs += (Date.now() - enteredMs - account.meanMs) / 10;
        if (account.inFlight === 0 && account.tickets.size === 0) this.#accounts.delete(id);
      },
    };
  }
}

/** Tickets before this event's own (all, when it has none); abandoned ones are torn up on the way. */
function ticketsAhead(tickets: Map<string, number>, eventId: string, nowMs: number): number {
  let ahead = 0;
  for (const [holder, dueAtMs] of tickets) {
    if (holder === eventId) return ahead;
    if (dueAtMs + ticketGraceMs < nowMs) tickets.delete(holder);
    else ahead++;
  }
  return ahead;
}
