import { overloaded } from '../problem.ts';
import { Arrival } from './arrival.ts';

/** Bodies of at most this size are small. Part of the budget is reserved for them. */
const smallBytes = 64 * 1024;
/** Fractions of the budget: the most that one client may hold, and the part that is reserved for small bodies. */
const clientShare = 1 / 4;
const smallReserve = 1 / 4;

/** The part of the budget that one body holds, from its first byte until the response to its request. */
export class Holding {
  bytes = 0;
  /** Whether the body is still arriving. A complete body is never dropped. */
  isReading = true;
  readonly client: string;
  readonly arrival: Arrival;
  readonly dropped: (reason: Error) => void;

  constructor(client: string, nowMs: number, dropped: (reason: Error) => void) {
    this.client = client;
    this.arrival = new Arrival(nowMs);
    this.dropped = dropped;
  }
}

/**
 * Bounds the bytes of all bodies that are read or processed (`MAX_BODY_BYTES_IN_FLIGHT`).
 *
 * - One client holds at most a quarter of the budget, and bodies of more than 64 KiB hold at most three quarters
 *   together.
 * - When a body finds no room, the slowest body that counts against the same bound is dropped. That body must have been
 *   read for two seconds, be still arriving, and arrive more slowly. Otherwise the new body is refused.
 * - A body that has been read for less than two seconds counts as fast, so that a new body wins against a stalled one.
 */
export class BodyBudget {
  readonly #totalBytes: number;
  readonly #now: () => number;
  readonly #holdings = new Set<Holding>();
  readonly #byClient = new Map<string, number>();
  #heldBytes = 0;
  #largeBytes = 0;

  /** @param now a monotonic clock, in milliseconds. */
  constructor(totalBytes: number, now: () => number = () => performance.now()) {
    this.#totalBytes = totalBytes;
    this.#now = now;
  }

  /** The bytes that all bodies hold now. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Registers a body that holds no bytes yet.
   *
   * @param client the key of the client's share.
   * @param dropped called when the body is dropped for another one, after its bytes have been given back.
   */
  open(client: string, dropped: (reason: Error) => void): Holding {
    const holding = new Holding(client, this.#now(), dropped);
    this.#holdings.add(holding);
    return holding;
  }

  /** Counts bytes of the body that arrived. */
  arrived(holding: Holding, bytes: number): void {
    holding.arrival.add(bytes, this.#now());
  }

  /**
   * Sets the number of bytes that the body holds to `bytes`.
   *
   * @throws Problem `overloaded` when there is no room; the holding is then unchanged.
   */
  grow(holding: Holding, bytes: number): void {
    for (;;) {
      const competes = this.#competitors(holding, bytes);
      if (competes === null) break;
      const slowest = this.#slowest(holding, competes);
      if (slowest === null) throw overloaded();
      this.release(slowest);
      slowest.dropped(overloaded());
    }
    this.#count(holding, -1);
    holding.bytes = bytes;
    this.#count(holding, 1);
  }

  /** Gives back the bytes of the body. A second call has no effect. */
  release(holding: Holding): void {
    if (!this.#holdings.delete(holding)) return;
    this.#count(holding, -1);
    holding.bytes = 0;
  }

  /** A filter for the bodies that count against the bound that this one would exceed; null when it exceeds none. */
  #competitors(holding: Holding, bytes: number): ((other: Holding) => boolean) | null {
    const more = bytes - holding.bytes;
    const { client } = holding;
    if ((this.#byClient.get(client) ?? 0) + more > this.#totalBytes * clientShare)
      return (other) => other.client === client;
    const moreLarge = bytes - (isLarge(holding) ? holding.bytes : 0);
    if (bytes > smallBytes && this.#largeBytes + moreLarge > this.#totalBytes * (1 - smallReserve)) return isLarge;
    return this.#heldBytes + more > this.#totalBytes ? () => true : null;
  }

  #slowest(holding: Holding, counts: (other: Holding) => boolean): Holding | null {
    const nowMs = this.#now();
    let slowest: Holding | null = null;
    let least = holding.arrival.rate(nowMs);
    for (const other of this.#holdings) {
      if (other === holding || !other.isReading || other.bytes === 0 || !counts(other)) continue;
      const rate = other.arrival.rate(nowMs);
      if (rate < least) [slowest, least] = [other, rate];
    }
    return slowest;
  }

  #count(holding: Holding, sign: 1 | -1): void {
    const bytes = sign * holding.bytes;
    this.#heldBytes += bytes;
    if (isLarge(holding)) this.#largeBytes += bytes;
    const held = (this.#byClient.get(holding.client) ?? 0) + bytes;
    if (held === 0) this.#byClient.delete(holding.client);
    else this.#byClient.set(holding.client, held);
  }
}

const isLarge = (holding: Holding) => holding.bytes > smallBytes;
