import { LRUCache } from 'lru-cache';
import { type SlotOrWait, Slots } from '../../delivery/slots.ts';
import { longestWaitMs } from '../retries.ts';

/** Chat and mail services limit their clients. Eight concurrent requests send a thousand messages within a minute. */
export const inFlightPerDestination = 8;

/** Limits the concurrent messages to each destination in this process, and the destinations that asked to wait. */
export class DestinationSlots {
  readonly #slots = new Slots(inFlightPerDestination);
  readonly #heldUntilMs = new LRUCache<string, number>({ max: 10_000 });

  /** For workflows: acquires a free slot, or reserves the next one and returns when to ask again. */
  acquire(destinationId: string, holder: string): SlotOrWait {
    const nowMs = performance.now();
    const heldMs = this.#heldMs(destinationId, nowMs);
    return heldMs > 0 ? { waitMs: heldMs } : this.#slots.acquire(destinationId, holder, nowMs);
  }

  /** For sweeps: acquires a free slot, never reserves one. */
  tryAcquire(destinationId: string): SlotOrWait {
    const nowMs = performance.now();
    const heldMs = this.#heldMs(destinationId, nowMs);
    return heldMs > 0 ? { waitMs: heldMs } : this.#slots.acquireDirect(destinationId, nowMs);
  }

  /** Holds all messages to a destination that has asked to wait, so that they do not use up their tries. */
  hold(destinationId: string, ms: number): void {
    const untilMs = performance.now() + Math.min(ms, longestWaitMs);
    // Of the messages in flight, another one may have been asked to wait for longer.
    this.#heldUntilMs.set(destinationId, Math.max(untilMs, this.#heldUntilMs.get(destinationId) ?? 0));
  }

  /** The ids of the destinations that are held now. */
  held(): string[] {
    const nowMs = performance.now();
    return [...this.#heldUntilMs.entries()].filter(([, untilMs]) => untilMs > nowMs).map(([id]) => id);
  }

  #heldMs(destinationId: string, nowMs: number): number {
    return Math.ceil((this.#heldUntilMs.get(destinationId) ?? 0) - nowMs);
  }
}
