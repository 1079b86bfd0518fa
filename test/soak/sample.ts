import { readdirSync, readFileSync } from 'node:fs';
import type { Stage } from '../faults/stage.ts';
import { processTree } from '../support/descendants.ts';

/** What is measured once a minute. Memory is in MiB; a missing value was not to be had, for example during a restart. */
export interface Sample {
  minute: number;
  /** Resident memory of the largest api and worker. */
  apiMiB: number;
  workerMiB: number;
  temporalMiB: number;
  /** With its children; memory that they share counts once. */
  postgresMiB: number;
  /** Open file descriptors of all api and worker processes. */
  descriptors: number;
  /** Connections to PostgreSQL. */
  connections: number | null;
  queued: number | null;
  /** Events whose workflow has not been started yet. */
  unstarted: number | null;
  /** Rows of the queue that are deleted and not yet removed. */
  deadQueueRows: number | null;
  /** Bytes of the queue with its indexes, in KiB. */
  queueKiB: number | null;
  firstAttemptP50Ms: number | null;
  firstAttemptP99Ms: number | null;
}

const kiB = 1024;

export async function takeSample(stage: Stage, minute: number, firstAttemptsMs: number[]): Promise<Sample> {
  const largest = (role: 'api' | 'worker') =>
    Math.max(
      ...[...stage.roles].filter(([name]) => name.startsWith(role)).map(([, { process }]) => residentMiB(process.pid)),
    );
  const [row] = await stage.postgres
    .query<{ connections: number; queued: number; unstarted: number; dead: number; size: number }>(
      `select (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as connections,
         (select count(*)::integer from event_queue) as queued,
         (select count(*)::integer from events where started_generation < generation) as unstarted,
         (select n_dead_tup::integer from pg_stat_user_tables where relname = 'event_queue') as dead,
         (pg_total_relation_size('event_queue') / 1024)::integer as size`,
    )
    .catch(() => []);
  return {
    minute,
    apiMiB: largest('api'),
    workerMiB: largest('worker'),
    temporalMiB: residentMiB(stage.temporal.process.pid),
    postgresMiB: proportionalMiB(stage.postgres.process.pid),
    descriptors: [...stage.roles.values()].reduce((sum, { process }) => sum + descriptorsOf(process.pid), 0),
    connections: row?.connections ?? null,
    queued: row?.queued ?? null,
    unstarted: row?.unstarted ?? null,
    deadQueueRows: row?.dead ?? null,
    queueKiB: row?.size ?? null,
    firstAttemptP50Ms: percentile(firstAttemptsMs, 0.5),
    firstAttemptP99Ms: percentile(firstAttemptsMs, 0.99),
  };
}

function percentile(values: number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

/** A line such as `VmRSS:   12345 kB` of a file below `/proc`; 0 when the process has ended. */
function field(path: string, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(path, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

const residentMiB = (pid: number | null) => Math.round(field(`/proc/${pid}/status`, 'VmRSS') / kiB);

function proportionalMiB(pid: number | null): number {
  if (pid === null) return 0;
  const all = processTree(pid).map((each) => field(`/proc/${each.pid}/smaps_rollup`, 'Pss'));
  return Math.round(all.reduce((sum, each) => sum + each, 0) / kiB);
}

function descriptorsOf(pid: number | null): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
