import { gatewayProcesses, processesBelow } from './proc.ts';

/** User and system time so far, in milliseconds, of the processes of a benchmark. */
export interface CpuTimes {
  /** All Node processes of the gateway: its children too. */
  gateway: number;
  /** The balancer before the gateway's processes; 0 without one. */
  balancer: number;
  database: number;
  engine: number;
}

/**
 * The CPU time of this process's descendants. Zeros on systems other than Linux.
 *
 * @param gatewayPids the processes of the gateway, or this one if the benchmark itself takes its place
 * @param balancerPids the balancer, which is none of them
 */
export function cpuTimes(gatewayPids: readonly number[], balancerPids: readonly number[] = []): CpuTimes {
  const all = processesBelow(process.pid);
  const sum = (processes: { cpuMs: number }[]) => processes.reduce((total, { cpuMs }) => total + cpuMs, 0);
  return {
    gateway: sum(gatewayPids.flatMap(gatewayProcesses)),
    balancer: sum(balancerPids.flatMap(processesBelow)),
    database: sum(all.filter(({ name }) => name === 'postgres')),
    engine: sum(all.filter(({ name }) => name === 'temporal')),
  };
}

/** CPU time per event since `before`. */
export function cpuEach(before: CpuTimes, after: CpuTimes, events: number): CpuTimes {
  const each = (name: keyof CpuTimes) => (after[name] - before[name]) / events;
  return {
    gateway: each('gateway'),
    balancer: each('balancer'),
    database: each('database'),
    engine: each('engine'),
  };
}

/** CPU time per event since `before`, by process. */
export function cpuColumns(before: CpuTimes, after: CpuTimes, events: number): Record<string, string> {
  const { gateway, database, engine } = cpuEach(before, after, events);
  const text = (value: number) => value.toFixed(2);
  return { 'CPU ms/event gateway': text(gateway), PostgreSQL: text(database), Temporal: text(engine) };
}
