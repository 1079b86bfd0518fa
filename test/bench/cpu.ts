import { readdirSync, readFileSync } from 'node:fs';

/** User and system time so far, in milliseconds, of the processes of a benchmark. */
export interface CpuTimes {
  /** All Node processes of the gateway: its children too. */
  gateway: number;
  database: number;
  engine: number;
}

const msATick = 10;

/**
 * Reads `/proc` for this process and its descendants. Returns zeros on systems other than Linux.
 *
 * @param gatewayPid the pid of the gateway, or of this process if the benchmark itself takes its place
 */
export function cpuTimes(gatewayPid: number): CpuTimes {
  const processes = new Map(all().map((entry) => [entry.pid, entry]));
  const below = (pid: number, root: number): boolean => {
    const parent = processes.get(pid)?.parent;
    return pid === root || (parent !== undefined && parent > 1 && below(parent, root));
  };
  const sum = (fits: (entry: Entry) => boolean) =>
    [...processes.values()]
      .filter((entry) => below(entry.pid, process.pid) && fits(entry))
      .reduce((total, { cpuMs }) => total + cpuMs, 0);
  const isServer = ({ name }: Entry) => name === 'postgres' || name === 'temporal';
  return {
    gateway: sum((entry) => below(entry.pid, gatewayPid) && !isServer(entry)),
    database: sum(({ name }) => name === 'postgres'),
    engine: sum(({ name }) => name === 'temporal'),
  };
}

/** CPU time per event since `before`. */
export function cpuEach(before: CpuTimes, after: CpuTimes, events: number): CpuTimes {
  const each = (name: keyof CpuTimes) => (after[name] - before[name]) / events;
  return { gateway: each('gateway'), database: each('database'), engine: each('engine') };
}

/** CPU time per event since `before`, by process. */
export function cpuColumns(before: CpuTimes, after: CpuTimes, events: number): Record<string, string> {
  const { gateway, database, engine } = cpuEach(before, after, events);
  const text = (value: number) => value.toFixed(2);
  return { 'CPU ms/event gateway': text(gateway), PostgreSQL: text(database), Temporal: text(engine) };
}

interface Entry {
  pid: number;
  parent: number;
  name: string;
  cpuMs: number;
}

/** `proc(5)`: pid (name) state ppid … utime stime cutime cstime. Children that have ended count for their parent. */
function all(): Entry[] {
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    let stat: string;
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    } catch {
      // The process has ended since.
      return [];
    }
    const rest = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const comm = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const ticks = (rest[11] ?? 0) + (rest[12] ?? 0) + (comm === 'postgres' ? (rest[13] ?? 0) + (rest[14] ?? 0) : 0);
    return [{ pid: Number(name), parent: rest[1] ?? 0, name: comm, cpuMs: ticks * msATick }];
  });
}
