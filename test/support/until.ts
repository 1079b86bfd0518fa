import { growingPauses } from './pauses.ts';

/** Asks until the answer is neither null nor undefined nor false, and returns it. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  limitMs = 30_000,
): Promise<Exclude<T, null | undefined | false>> {
  const endMs = Date.now() + limitMs;
  const pause = growingPauses();
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false)
      return answer as Exclude<T, null | undefined | false>;
    if (Date.now() > endMs) throw new Error(`it never came to this: ${what}`);
    await pause();
  }
}
