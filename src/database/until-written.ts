import { setTimeout as sleep } from 'node:timers/promises';

const firstDelayMs = 100;
const longestDelayMs = 5_000;

/**
 * Writes down what was done, again and again until the database has taken it: a POST that was made must not be made a
 * second time because the first one was forgotten.
 *
 * @throws the reason of `signal` when that ends the wait.
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
