import { readdirSync, readFileSync } from 'node:fs';

/** A process that ran at one moment. The start time tells it from a later process with the same pid. */
export interface SeenProcess {
  pid: number;
  startTime: string;
  command: string;
}

/** The process and all that it started, directly or not, and that still run. Linux only. */
export function processTree(pid: number): SeenProcess[] {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger).flatMap(seen);
  const found = all.filter((process) => process.pid === pid);
  for (const parent of found) found.push(...all.filter((process) => process.parent === parent.pid));
  return found.map(({ parent: _, ...process }) => process);
}

/** What the process itself has started and still runs, without a look at all other processes. Linux only. */
export function childrenOf(pid: number): SeenProcess[] {
  // Each thread has a list of those that it started.
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap(seen).map(({ parent: _, ...process }) => process);
}

/** Those of the processes that still run; a zombie does not. */
export const stillRunning = (processes: SeenProcess[]): SeenProcess[] =>
  processes.filter(({ pid, startTime }) => seen(pid)[0]?.startTime === startTime);

/** Source of the fields: proc_pid_stat(5), counted from behind the name in parentheses, which may hold spaces. */
function seen(pid: number): (SeenProcess & { parent: number })[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent] = fields;
    if (state === 'Z' || state === 'X') return [];
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return [{ pid, startTime: fields[19] ?? '', command, parent: Number(parent) }];
  } catch {
    // It has just ended.
    return [];
  }
}
