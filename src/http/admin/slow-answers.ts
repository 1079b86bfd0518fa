import type { IncomingMessage } from 'node:http';

/** Delayed responses at a time, over all addresses. Each holds only a connection and a timer. */
const maxWaiting = 64;
/** The first delay of an address. It doubles with each further wrong token, up to `longestMs`. */
const firstMs = 250;
/** Slows guessing down to one token every two seconds on each connection. */
const longestMs = 2_000;

/**
 * Delays the responses to wrong tokens. A delay ends when its time is up, when the client disconnects, or when the
 * gateway stops. One instance serves all addresses of a process.
 */
export class SlowAnswers {
  readonly #waiting = new Set<() => void>();
  #closed = false;

  /** The number of responses that are being delayed. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Waits before the response to a wrong token of an address that has used up its tries. Resolves immediately when 64
   * responses are already delayed. Does not read the request's body. Never rejects.
   *
   * @param excess the number of wrong tokens beyond the allowed ones, from 1.
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

  /** Ends all delays. Later calls of `wait` resolve immediately. */
  close(): void {
    this.#closed = true;
    for (const end of this.#waiting) end();
  }
}
