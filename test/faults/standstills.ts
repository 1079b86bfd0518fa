import type { Injected } from './inject.ts';
import { roleNames, serverNames } from './plan.ts';

/** Far longer than a busy machine delays a timer, and shorter than the time limits and leases that a standstill exceeds (2 s). */
const limitMs = 1_000;
const lookMs = 100;

/**
 * Measures by a timer when this process did not run. Then the whole machine stood still, as a virtual one that is moved: a
 * fault of all processes that no plan has.
 */
export class Standstills {
  readonly #startedMs = Date.now();
  readonly #found: Injected[] = [];
  readonly #timer = setInterval(() => this.#look(), lookMs);
  // The clock of all times that the checks compare. It continues while a virtual machine is suspended.
  #lookedAtMs = Date.now();

  /** Those so far, as faults that stopped all processes. */
  get found(): readonly Injected[] {
    this.#look();
    return this.#found;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const [beganMs, endedMs] = [this.#lookedAtMs, Date.now()];
    this.#lookedAtMs = endedMs;
    if (endedMs - beganMs <= limitMs) return;
    this.#found.push({
      ...{ kind: 'standstill', atMs: beganMs - this.#startedMs, lastsMs: endedMs - beganMs, beganMs, endedMs },
      action: { do: 'stop', processes: [...roleNames, ...serverNames] },
    });
  }
}
