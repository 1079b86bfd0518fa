import { setTimeout as sleep } from 'node:timers/promises';

/** Of its time a backup works this much; the rest belongs to webhooks that come in meanwhile. */
const workShare = 0.4;
/** Timers are no finer; and PostgreSQL, gzip and the disk have as much to do between two rests as this takes. */
const shortestRestMs = 4;

/** Makes somebody who works in many small steps rest between them. */
export class Throttle {
  #workingSinceMs = performance.now();

  /** Call it after each step: most calls return at once. */
  async step(signal: AbortSignal): Promise<void> {
    const restMs = ((performance.now() - this.#workingSinceMs) * (1 - workShare)) / workShare;
    if (restMs < shortestRestMs) return;
    // A step that took long was held up, not work.
    await sleep(Math.min(restMs, 100), undefined, { signal });
    this.#workingSinceMs = performance.now();
  }
}
