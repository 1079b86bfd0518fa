import { setTimeout as sleep } from 'node:timers/promises';

/** The share of time in which a backup works. The rest is left to incoming webhooks. */
const workShare = 0.4;
/** Timers are not precise enough for shorter pauses. */
const shortestRestMs = 4;

/** Adds pauses between the steps of a long task, so that it uses at most 40 % of the time. */
export class Throttle {
  #workingSinceMs = performance.now();

  /** Pauses if necessary. Call it after each step; most calls return immediately. */
  async step(signal: AbortSignal): Promise<void> {
    const restMs = ((performance.now() - this.#workingSinceMs) * (1 - workShare)) / workShare;
    if (restMs < shortestRestMs) return;
    // At most 100 ms: a step that took longer was blocked, for example by the disk, and did not work all the time.
    await sleep(Math.min(restMs, 100), undefined, { signal });
    this.#workingSinceMs = performance.now();
  }
}
