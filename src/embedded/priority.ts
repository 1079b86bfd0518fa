import { readdirSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import type { Log } from '../shared/log.ts';

/**
 * Each step is about 10 % less CPU time than a process of the step before gets at the same time. With 10, other programs
 * that keep all cores busy held up retries for half a minute.
 */
export const nice = 5;
/** The lowest priority that there is. */
const lowest = 19;
/** Usually two: one that changes the threads, and one that finds no other thread. */
const looks = 10;

/**
 * Lowers the CPU priority of a process that was started with `detached` below that of this process. Without the permission
 * for it, or on a platform without priorities, the process keeps its priority.
 *
 * Linux schedules such a process in a group of its own, and only the priority of that group counts against others
 * (sched(7), "The autogroup feature").
 */
export function lowerPriority(pid: number, log: Log): void {
  try {
    // This process may have been started with a lower priority itself, by `nice` or systemd.
    lowerThreads(pid, Math.min(getPriority() + nice, lowest));
    // A new group has 0, also that of a process with a lower priority.
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch (error) {
    log.debug({ pid, nice, err: error }, 'priority not lowered');
  }
}

/** On Linux, a priority belongs to a thread, and later threads inherit it from the one that starts them. */
function lowerThreads(pid: number, priority: number): void {
  const seen = new Set<number>();
  // A thread that starts while the others are changed inherits the priority of one or the other.
  for (let look = 0; look < looks; look += 1) {
    const found = threadsOf(pid).filter((thread) => !seen.has(thread));
    if (found.length === 0) return;
    for (const thread of found) {
      seen.add(thread);
      lowerThread(thread, priority);
    }
  }
}

const threadsOf = (pid: number): number[] =>
  process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];

/** A thread may have ended since it was listed. */
function lowerThread(thread: number, priority: number): void {
  try {
    setPriority(thread, priority);
  } catch (error) {
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error;
  }
}
