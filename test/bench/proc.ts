import { readdirSync, readFileSync } from 'node:fs';
import { procStat } from '../support/proc-stat.ts';

/** A process of `/proc`. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  name: string;
  /** User and system time so far, in milliseconds. */
  cpuMs: number;
}

const msATick = 10;
const kiB = 1024;

/** A process and all its descendants. Empty on systems other than Linux. */
export function processesBelow(root: number): ProcessEntry[] {
  const processes = new Map(all().map((entry) => [entry.pid, entry]));
  const below = (pid: number): boolean => {
    const parent = processes.get(pid)?.parent;
    return pid === root || (parent !== undefined && parent > 1 && below(parent));
  };
  return [...processes.values()].filter(({ pid }) => below(pid));
}

/** The Node processes of a gateway: the first one and its children, without the servers that it has started. */
export const gatewayProcesses = (gatewayPid: number): ProcessEntry[] =>
  processesBelow(gatewayPid).filter(({ name }) => name !== 'postgres' && name !== 'temporal');

/** The resident memory of all Node processes of a gateway. Memory that they share counts for each. */
export function gatewayMiB(gatewayPids: readonly number[]): number {
  const kilobytes = gatewayPids.flatMap(gatewayProcesses).map(({ pid }) => residentKiB(pid));
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / kiB);
}

function residentKiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    // The process has ended since.
    return 0;
  }
}

/** `proc(5)`: pid (name) state ppid … utime stime cutime cstime. Children that have ended count for their parent. */
function all(): ProcessEntry[] {
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    let stat: ReturnType<typeof procStat>;
    try {
      stat = procStat(name);
    } catch {
      // The process has ended since.
      return [];
    }
    const rest = stat.fields.map(Number);
    const comm = stat.name;
    const ticks = (rest[11] ?? 0) + (rest[12] ?? 0) + (comm === 'postgres' ? (rest[13] ?? 0) + (rest[14] ?? 0) : 0);
    return [{ pid: Number(name), parent: rest[1] ?? 0, name: comm, cpuMs: ticks * msATick }];
  });
}
