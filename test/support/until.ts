import { inspect } from 'node:util';
import { growingPauses } from './pauses.ts';

/** Far below what a test may take (`vitest.config.ts`), so that the error says which condition was not reached. */
export const defaultLimitMs = 90_000;
/** Of the last result, in the message of the error: a report in JSON has no causes. */
const shownCharacters = 1_000;

export interface UntilOptions {
  limitMs?: number;
  /** Whether an error of `ask` counts as "not yet", as while a server starts. By default it ends the wait. */
  retryErrors?: boolean;
}

/**
 * Waits for a condition: calls `ask` until it returns neither null nor undefined nor false, and returns the result. A
 * number in place of the options is the time limit in milliseconds.
 *
 * @param what names the condition in the error, which shows the last result or error of `ask`
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  options: UntilOptions | number = {},
): Promise<Exclude<T, null | undefined | false>> {
  const { limitMs = defaultLimitMs, retryErrors = false } =
    typeof options === 'number' ? { limitMs: options } : options;
  const endMs = Date.now() + limitMs;
  const pause = growingPauses();
  for (;;) {
    let last: unknown;
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false)
        return answer as Exclude<T, null | undefined | false>;
      last = answer;
    } catch (error) {
      if (!retryErrors) throw error;
      last = error;
    }
    if (Date.now() > endMs) throw new Error(`this did not happen: ${what}; last: ${shown(last)}`, { cause: last });
    await pause();
  }
}

const shown = (last: unknown) =>
  (last instanceof Error ? last.message : inspect(last, { breakLength: Number.POSITIVE_INFINITY })).slice(
    0,
    shownCharacters,
  );
