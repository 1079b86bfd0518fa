import { randomUUID } from 'node:crypto';
import type { Sql } from '../database/sql.ts';
import { renew } from '../events/queue.ts';
import type { Log } from '../shared/log.ts';

const longestLeaseMs = 60_000;
/** The time that a lease needs besides the attempt itself: reading the event, recording, a slow commit. */
const marginMs = 15_000;

/** Renews the leases of the claims that this process is working on. */
export class Leases {
  readonly leaseS: number;
  /** One token per process, so that re-claiming an event that it is still working on is harmless. */
  readonly token = randomUUID();
  readonly #sql: Sql;
  readonly #log: Log;
  readonly #held = new Set<{ eventId: string }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { sql: Sql; log: Log; timeLimitMs: number }) {
    this.#sql = options.sql;
    this.#log = options.log;
    this.leaseS = Math.min(longestLeaseMs, options.timeLimitMs + marginMs + 1_000) / 1000;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#renew(), (this.leaseS * 1000) / 3);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Renews the lease of an event until the returned function is called. */
  hold(eventId: string): () => void {
    const held = { eventId };
    this.#held.add(held);
    return () => this.#held.delete(held);
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return;
    const eventIds = [...this.#held].map(({ eventId }) => eventId);
    await renew(this.#sql, eventIds, this.token, this.leaseS).catch((error: unknown) => {
      this.#log.warn({ err: error, leases: eventIds.length }, 'leases not renewed, retrying');
    });
  }
}
