import { setImmediate } from 'node:timers/promises';

/** How long a computation holds the event loop: a request that arrives in this time waits for its end. */
const holdMs = 5;

/**
 * Breaks of a computation of many steps, in which other work of the process goes on.
 *
 * @returns a function to await after each step. It takes a break when 5 ms have passed since the last one.
 */
export function breaks(): () => Promise<void> {
  let beganMs = performance.now();
  return async () => {
    if (performance.now() - beganMs < holdMs) return;
    await setImmediate();
    beganMs = performance.now();
  };
}
