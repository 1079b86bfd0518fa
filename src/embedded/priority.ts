import { readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Log } from '../shared/log.ts';

/**
 * Each step is about 10 % less CPU time than a process of the step before gets at the same time. With 10, other programs
 * that keep all cores busy held up retries for half a minute.
 */
export const nice = 5;
/** Threads that start while the others are changed inherit the priority of one or the other: a second look finds them. */
const looks = 3;

/**
 * Lowers the CPU priority of a process that was started with `detached`. Without the permission for it, or on a platform
 * without priorities, the process keeps its priority.
 *
 * Linux schedules such a process in a group of its own, and only the priority of that group counts against others
 * (sched(7), "The autogroup feature").
 */
export function lowerPriority(pid: number, log: Log): void {
  try {
    for (const thread of threadsOf(pid)) setPriority(thread, nice);
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch (error) {
    log.debug({ pid, nice, err: error }, 'priority not lowered');
  }
}

/** The process, and on Linux its threads: there, a priority belongs to a thread, and later threads inherit it. */
function* threadsOf(pid: number): Generator<number> {
  yield pid;
  if (process.platform !== 'linux') return;
  const seen = new Set([pid]);
  for (let look = 0; look < looks; look += 1)
    for (const thread of readdirSync(`/proc/${pid}/task`).map(Number))
      if (!seen.has(thread)) {
        seen.add(thread);
        yield thread;
      }
}
