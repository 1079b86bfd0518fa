import { setTimeout as sleep } from 'node:timers/promises';

const firstDelayMs = 100;
const longestDelayMs = 5_000;

/**
 * Retries `write` until it succeeds. It records an action that must not be repeated: without the record of a POST, the
 * POST would be sent again.
 *
 * `p-retry` gives up at a TypeError. After an abort it does not write at all, and drops the result of a write that has
 * succeeded.
 *
 * @throws the reason of `signal` when it is aborted.
 */
export async function untilWritten<T>(
  write: () => Promise<T>,
  options: { signal: AbortSignal; onFailure: (error: unknown) => void },
): Promise<T> {
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    try {
      return await write();
    } catch (error) {
      options.signal.throwIfAborted();
      options.onFailure(error);
      await sleep(delayMs, undefined, { signal: options.signal });
    }
  }
}
