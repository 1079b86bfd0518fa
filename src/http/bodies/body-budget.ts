import { overloaded } from '../problem.ts';
import { Arrival } from './arrival.ts';

/** A body of at most this size is small: what larger ones may hold together ends before the budget does. */
const smallBytes = 64 * 1024;
/** Parts of the budget: what one client may hold, and what is kept free for small bodies. */
const clientShare = 1 / 4;
const smallReserve = 1 / 4;

/** The part of the budget that one body holds, from its first byte until its request is answered. */
export class Holding {
  bytes = 0;
  /** Whether the body still arrives. One that is complete is not dropped any more. */
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
 * - One client holds at most a quarter of the budget, and bodies of more than 64 KiB hold at most three quarters together.
 * - A body that finds no room takes it from the slowest body that counts against the same bound, as long as that one has
 *   been read for two seconds, still arrives, and arrives more slowly. Otherwise the body itself is refused.
 * - A body that has been read for less than two seconds counts as fast, so that a new one is preferred to one that stands still.
 */
export class BodyBudget {
  readonly #totalBytes: number;
  readonly #now: () => number;
  readonly #holdings = new Set<Holding>();
  readonly #byClient = new Map<string, number>();
  #heldBytes = 0;
  #largeBytes = 0;

  /** @param now milliseconds that only go forward. */
  constructor(totalBytes: number, now: () => number = () => performance.now()) {
    this.#totalBytes = totalBytes;
    this.#now = now;
  }

  /** The bytes that are held at present. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Begins a body that holds nothing yet.
   *
   * @param client the key of the client's share.
   * @param dropped called when the body gives way to another one; it holds nothing any more.
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
   * Lets the body hold `bytes` in all.
   *
   * @throws Problem `overloaded` when there is no room; the holding stays as it was.
   */
  grow(holding: Holding, bytes: number): void {
    for (;;) {
      const inTheWay = this.#inTheWay(holding, bytes);
      if (inTheWay === null) break;
      const slowest = this.#slowest(holding, inTheWay);
      if (slowest === null) throw overloaded();
      this.release(slowest);
      slowest.dropped(overloaded());
    }
    this.#count(holding, -1);
    holding.bytes = bytes;
    this.#count(holding, 1);
  }

  /** Gives back what the body held. A second call does nothing. */
  release(holding: Holding): void {
    if (!this.#holdings.delete(holding)) return;
    this.#count(holding, -1);
    holding.bytes = 0;
  }

  /** Which of the other bodies count against a bound that this one would exceed; null when it exceeds none. */
  #inTheWay(holding: Holding, bytes: number): ((other: Holding) => boolean) | null {
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
