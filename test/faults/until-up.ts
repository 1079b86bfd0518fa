import { setTimeout as sleep } from 'node:timers/promises';

/** A start takes a few seconds, and a multiple of that on a busy machine. */
const startLimitMs = 60_000;
const pauseMs = 100;

/**
 * Waits until a server or process is up.
 *
 * @throws Error after a minute, with its name
 */
export async function untilUp(name: string, isUp: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + startLimitMs; !(await isUp()); await sleep(pauseMs))
    if (performance.now() > endMs)
      throw new Error(`${name} did not start within ${startLimitMs / 1000} s: see its log`);
}
