import { LRUCache } from 'lru-cache';
import { type Turn, TurnGate } from '../../delivery/turn-gate.ts';
import { longestWaitMs } from '../retries.ts';

/** Services that people read in do not like crowds; eight at once are done with a thousand messages within a minute. */
export const inFlightPerDestination = 8;

/** Whose turn it is at each destination in this process: how many at once, and which want to be left alone. */
export class DestinationTurns {
  readonly #gate = new TurnGate(inFlightPerDestination);
  readonly #heldUntilMs = new LRUCache<string, number>({ max: 10_000 });

  /** For who comes again when told to: finding no turn free, they get the next one in the order of asking. */
  enter(destinationId: string, holder: string): Turn {
    const nowMs = Date.now();
    const heldMs = this.#heldMs(destinationId, nowMs);
    return heldMs > 0 ? { waitMs: heldMs } : this.#gate.enter(destinationId, holder, nowMs);
  }

  /** For who looks around by themselves: a turn that is free, but none is kept for them. */
  enterInPassing(destinationId: string): Turn {
    const nowMs = Date.now();
    const heldMs = this.#heldMs(destinationId, nowMs);
    return heldMs > 0 ? { waitMs: heldMs } : this.#gate.enterDirect(destinationId, nowMs);
  }

  /** A destination has asked to be left alone: its other messages need not use up their tries on that. */
  hold(destinationId: string, ms: number): void {
    this.#heldUntilMs.set(destinationId, Date.now() + Math.min(ms, longestWaitMs));
  }

  /** Those that are held now. */
  held(): string[] {
    const nowMs = Date.now();
    return [...this.#heldUntilMs.entries()].filter(([, untilMs]) => untilMs > nowMs).map(([id]) => id);
  }

  #heldMs(destinationId: string, nowMs: number): number {
    return (this.#heldUntilMs.get(destinationId) ?? 0) - nowMs;
  }
}
