import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Between the end of the work and the exit. At its exit, Node waits for compilation on other threads, and that may wait
 * for a garbage collection by this thread, so that the process never ends (https://github.com/nodejs/node/issues/54918).
 * An idle moment lets the compilation end first.
 */
const idleBeforeExitMs = 100;

/** Ends this process, whose work is done. */
export async function exitWhenIdle(code: number): Promise<never> {
  await sleep(idleBeforeExitMs);
  process.exit(code);
}
