import { lowestId } from '../events/queue.ts';

/** How often the claims begin at the first event again: some events are settled later than others that arrived after them. */
const againMs = 500;
/** Claims from the beginning pass what PostgreSQL has not cleaned up yet. They take at most a twentieth of the time. */
const againShare = 20;

/**
 * After which settled event the next claim continues. So a claim does not pass the events that were claimed before, and
 * costs the same however many have gone through the queue.
 */
export class StartPosition {
  #after = lowestId;
  #againAtMs = Number.NEGATIVE_INFINITY;

  /** The event after which to claim. */
  after(nowMs: number): string {
    if (nowMs >= this.#againAtMs) this.#after = lowestId;
    return this.#after;
  }

  /** @param last the last event that was claimed; null if none was. */
  claimed(last: string | null, { beganMs, nowMs }: { beganMs: number; nowMs: number }): void {
    if (this.#after === lowestId) this.#againAtMs = nowMs + Math.max(againMs, (nowMs - beganMs) * againShare);
    if (last !== null) this.#after = last;
  }
}
