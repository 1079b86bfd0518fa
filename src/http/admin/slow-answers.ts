import type { IncomingMessage } from 'node:http';

/** Answers that wait at a time, over all addresses: each holds a connection and a timer, and nothing else. */
const maxWaiting = 64;
/** The first answer that waits; each further one of its address waits twice as long, up to the longest. */
const firstMs = 250;
/** Long enough to slow a guesser down to a guess every two seconds on each connection. */
const longestMs = 2_000;

/**
 * Holds back answers to wrong tokens. A wait ends when its time is up, when the client goes away, and when the gateway
 * stops. One for all addresses of a process.
 */
export class SlowAnswers {
  readonly #waiting = new Set<() => void>();
  #closed = false;

  /** How many answers wait at this moment. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Waits before the answer to a wrong token that comes after those that an address may try; at once when too many answers
   * wait already. Reads nothing of the request's body. Never rejects.
   *
   * @param excess how many wrong tokens too many it is, from 1.
   */
  wait(request: IncomingMessage, excess: number): Promise<void> {
    if (this.#closed || request.destroyed || this.#waiting.size >= maxWaiting) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => {
      clearTimeout(timer);
      request.off('close', end);
      this.#waiting.delete(end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(longestMs, firstMs * 2 ** (excess - 1)));
    // Node destroys the request when its connection ends.
    request.once('close', end);
    this.#waiting.add(end);
    return promise;
  }

  /** Ends all waits; nothing waits from now on. */
  close(): void {
    this.#closed = true;
    for (const end of this.#waiting) end();
  }
}
