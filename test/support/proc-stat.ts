import { readdirSync, readFileSync } from 'node:fs';

/**
 * `/proc/PID/stat` (proc_pid_stat(5); Linux only): the name, and the fields after it, which stands in parentheses and may
 * contain spaces.
 *
 * @throws the error of the file system when the process has ended
 */
export function procStat(pid: number | string): { name: string; fields: string[] } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const end = stat.lastIndexOf(')');
  return { name: stat.slice(stat.indexOf('(') + 1, end), fields: stat.slice(end + 2).split(' ') };
}

/** The same of each thread of a process, except those that end at this moment. */
export const threadStats = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return [procStat(`${pid}/task/${thread}`)];
    } catch {
      return [];
    }
  });

/** The CPU priorities of all threads of a process, each once: the field 19 of proc_pid_stat(5). */
export const prioritiesOf = (pid: number) => [...new Set(threadStats(pid).map(({ fields }) => Number(fields[16])))];
