import { LRUCache } from 'lru-cache';
import { type Turn, TurnGate } from '../../delivery/turn-gate.ts';
import { longestWaitMs } from '../retries.ts';

/** Chat and mail services limit their clients. Eight concurrent requests send a thousand messages within a minute. */
export const inFlightPerDestination = 8;

/** Limits the concurrent messages to each destination in this process, and the destinations that asked to wait. */
export class DestinationTurns {
  readonly #gate = new TurnGate(inFlightPerDestination);
  readonly #heldUntilMs = new LRUCache<string, number>({ max: 10_000 });

  /** For workflows: takes a free turn, or reserves the next one and returns when to ask again. */
  enter(destinationId: string, holder: string): Turn {
    const nowMs = performance.now();
    const heldMs = this.#heldMs(destinationId, nowMs);
    return heldMs > 0 ? { waitMs: heldMs } : this.#gate.enter(destinationId, holder, nowMs);
  }

  /** For sweeps: takes a free turn, never reserves one. */
  enterInPassing(destinationId: string): Turn {
    const nowMs = performance.now();
    const heldMs = this.#heldMs(destinationId, nowMs);
    return heldMs > 0 ? { waitMs: heldMs } : this.#gate.enterDirect(destinationId, nowMs);
  }

  /** Holds all messages to a destination that has asked to wait, so that they do not use up their tries. */
  hold(destinationId: string, ms: number): void {
    this.#heldUntilMs.set(destinationId, performance.now() + Math.min(ms, longestWaitMs));
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
