import { readdirSync, readFileSync } from 'node:fs';
import { procStat } from './proc-stat.ts';

/** A process that ran at one moment. The start time distinguishes it from a later process with the same pid. */
export interface SeenProcess {
  pid: number;
  startTime: string;
  command: string;
}

/** The process and all its descendants that still run. Linux only. */
export function processTree(pid: number): SeenProcess[] {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger).flatMap(seen);
  const found = all.filter((process) => process.pid === pid);
  for (const parent of found) found.push(...all.filter((process) => process.parent === parent.pid));
  return found.map(({ parent: _, ...process }) => process);
}

/** The children of a process that still run, without reading all other processes. Linux only. */
export function childrenOf(pid: number): SeenProcess[] {
  // Each thread has a list of the processes that it started.
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => startedBy(`/proc/${pid}/task/${thread}`));
  return children.flatMap(seen).map(({ parent: _, ...process }) => process);
}

/** Those of the processes that still run. A zombie counts as ended. */
export const stillRunning = (processes: SeenProcess[]): SeenProcess[] =>
  processes.filter(({ pid, startTime }) => seen(pid)[0]?.startTime === startTime);

function startedBy(thread: string): number[] {
  try {
    return readFileSync(`${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    // The thread has just ended, and another one has its processes.
    return [];
  }
}

function seen(pid: number): (SeenProcess & { parent: number })[] {
  try {
    const { fields } = procStat(pid);
    const [state, parent] = fields;
    if (state === 'Z' || state === 'X') return [];
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return [{ pid, startTime: fields[19] ?? '', command, parent: Number(parent) }];
  } catch {
    // The process has just ended.
    return [];
  }
}
