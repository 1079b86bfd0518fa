import { readFileSync } from 'node:fs';

/** Processor time in milliseconds: of a process itself, and of its children that have ended. */
export interface CpuTimes {
  userMs: number;
  systemMs: number;
  childrenMs: number;
}

const msATick = 10;

/** The processor time of a process so far (`proc(5)`; Linux only). Children count for their parent when they have ended. */
export function cpuTimesOf(pid: number | 'self'): CpuTimes {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name in parentheses, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ms = (index: number) => Number(fields[index] ?? 0) * msATick;
  return { userMs: ms(11), systemMs: ms(12), childrenMs: ms(13) + ms(14) };
}

export const since = (before: CpuTimes, after: CpuTimes): CpuTimes => ({
  userMs: after.userMs - before.userMs,
  systemMs: after.systemMs - before.systemMs,
  childrenMs: after.childrenMs - before.childrenMs,
});
