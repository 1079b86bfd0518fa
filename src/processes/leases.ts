import { randomUUID } from 'node:crypto';
import type { Sql } from '../database/sql.ts';
import { type Claimed, renew } from '../events/queue.ts';
import type { Log } from '../shared/log.ts';

const longestLeaseMs = 60_000;
/** The time that a lease needs besides the attempt itself: reading the event, recording, a slow commit. */
const marginMs = 15_000;
/** How long a claim that could not be ended waits before it is claimed again, so that failures do not repeat at once. */
const abandonedMs = 1_000;
/** A claim that failed may still be committed within this time: statements end after 9 s (src/database/database.ts). */
const doubtMs = 10_000;

/** A claim that this process is working on. Its lease is renewed until one of the two is called. */
export interface Hold {
  /** The claim was ended in the database. */
  release(): void;
  /** The claim could not be ended. Its lease is ended soon, so that the event is claimed again. */
  abandon(): void;
}

/** A claimed event whose lease is renewed. */
export interface Held extends Claimed {
  hold: Hold;
}

/** Keeps the leases of the claims that this process is working on, and knows whether there may be others. */
export class Leases {
  readonly leaseS: number;
  /** One token per process, so that re-claiming an event that it is still working on is harmless. */
  readonly token = randomUUID();
  readonly #sql: Sql;
  readonly #log: Log;
  readonly #held = new Set<{ eventId: string }>();
  /** Claims in flight. */
  readonly #claiming = new Set<Promise<unknown>>();
  /** Set while claims must wait. */
  #settling: Promise<unknown> | null = null;
  #doubtUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { sql: Sql; log: Log; timeLimitMs: number }) {
    this.#sql = options.sql;
    this.#log = options.log;
    this.leaseS = Math.min(longestLeaseMs, options.timeLimitMs + marginMs + 1_000) / 1000;
  }

  start(): void {
    const renewed = () =>
      this.renew(this.#sql).catch((error: unknown) => {
        this.#log.warn({ err: error, leases: this.#held.size }, 'leases not renewed, retrying');
      });
    this.#timer = setInterval(() => void renewed(), (this.leaseS * 1000) / 3);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Whether rows may be claimed for this process without its knowledge, because the answer of a claim was lost. */
  get inDoubt(): boolean {
    return performance.now() < this.#doubtUntilMs;
  }

  /** Makes a claim, and holds the claimed events. */
  async claim<Answer extends { claimed: Claimed[] }>(
    work: () => Promise<Answer>,
  ): Promise<Omit<Answer, 'claimed'> & { claimed: Held[] }> {
    while (this.#settling) await this.#settling.catch(() => undefined);
    const claim = work().then(
      (answer) => ({
        ...answer,
        claimed: answer.claimed.map((event) => ({ ...event, hold: this.hold(event.eventId) })),
      }),
      (error: unknown) => {
        this.doubt();
        throw error;
      },
    );
    this.#claiming.add(claim);
    return claim.finally(() => this.#claiming.delete(claim));
  }

  /**
   * Runs `work` with the ids of all events that this process holds, while no claim is in flight.
   *
   * @param work ends leases of other events.
   */
  async settle(work: (held: string[]) => Promise<void>): Promise<void> {
    const settled = Promise.allSettled([...this.#claiming]).then(() => work(this.#ids()));
    this.#settling = settled;
    await settled.finally(() => {
      this.#settling = null;
    });
  }

  /** Renews the lease of an event until the claim is released or abandoned. */
  hold(eventId: string): Hold {
    const held = { eventId };
    this.#held.add(held);
    return {
      release: () => void this.#held.delete(held),
      abandon: () => {
        setTimeout(() => {
          this.#held.delete(held);
          this.doubt();
        }, abandonedMs).unref();
      },
    };
  }

  /** Called when rows may be claimed for this process without its knowledge. */
  doubt(): void {
    this.#doubtUntilMs = performance.now() + doubtMs;
  }

  /** Renews all leases now. Throws the database's errors. */
  async renew(sql: Sql): Promise<void> {
    if (this.#held.size > 0) await renew(sql, this.#ids(), this.token, this.leaseS);
  }

  #ids(): string[] {
    return [...this.#held].map(({ eventId }) => eventId);
  }
}
