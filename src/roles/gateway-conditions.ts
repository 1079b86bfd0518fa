import { stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Database } from '../database/database.ts';
import { pingDatabase } from '../database/ping.ts';
import type { GatewayCause } from '../incidents/gateway-cause.ts';
import type { GatewayCondition, ReadConditions } from '../incidents/gateway-watch.ts';
import type { Log } from '../shared/log.ts';
import { settlesWithin } from '../shared/settles-within.ts';
import type { TemporalHealth } from '../temporal/temporal-health.ts';
import { readStoredState } from './gateway-state.ts';

const minuteMs = 60_000;
/** What the database tells changes slowly. */
const storedMs = minuteMs;
/** A database that takes longer for nothing is busy or far away. */
const slowMs = 1_000;
/** A disk with less is nearly full: PostgreSQL and backups stop before its end. */
const freeShare = 0.05;
/** On a large disk, this is enough. */
const freeBytes = 10 * 1024 ** 3;
/** A look at a folder takes microseconds. On a network file system (NFS) whose server is away, it does not end. */
const lookMs = 2_000;

/** The thresholds are those of the alerts (deploy/prometheus/rules.yml); waits are shorter, because an incident wakes no person. */
async function storedConditions(database: Pick<Database, 'reader'>): Promise<GatewayCondition[]> {
  const state = await readStoredState(database);
  const nowS = Date.now() / 1000;
  const { certificateEndS } = state;
  // Before the first success, the begin of the first try counts. An installation that begins none has chosen to make none.
  const backupS = state.lastBackupS ?? state.firstBackupS;
  const conditions: [holds: boolean, cause: GatewayCause, afterMs: number][] = [
    [
      Number(state.workflowStartsWaiting) > 10_000 || Number(state.workflowStartOldestS) > 300,
      'starts of workflows fall behind',
      minuteMs,
    ],
    [
      !state.paused && Number(state.oldestPendingS) > 4.5 * 3600,
      'an event has been pending for more than 4.5 hours',
      0,
    ],
    [typeof backupS === 'number' && nowS - backupS > 36 * 3600, 'no backup has completed for 36 hours', 0],
    [Number(state.partitionsAheadDays) < 3, 'tables for fewer than 3 days are prepared', 5 * minuteMs],
    [
      typeof certificateEndS === 'number' && certificateEndS - nowS < 14 * 24 * 3600,
      'a client certificate of a consumer expires within 14 days',
      0,
    ],
    [Number(state.workersAlive) === 0, 'no worker runs', minuteMs],
  ];
  return conditions.flatMap(([holds, cause, afterMs]) => (holds ? [{ cause, afterMs }] : []));
}

/**
 * Reads which disks of these folders are nearly full. Data and backups on one disk are one condition, for each process that
 * sees it: the disk is named by where it is mounted. A folder that does not answer in time is left out.
 */
function watchDisks(folders: readonly (string | null)[], log: Log): () => Promise<GatewayCondition[]> {
  // One look at a folder at a time, because each that hangs holds one of the few threads that Node has for files.
  const pending = new Map<string, Promise<string | null>>();
  const look = async (folder: string): Promise<string | null> => {
    const begun = pending.get(folder);
    const looking = begun ?? fullDisk(folder).finally(() => pending.delete(folder));
    pending.set(folder, looking);
    if (await settlesWithin(looking, lookMs)) return looking;
    if (!begun) log.warn({ folder, limitMs: lookMs }, 'disk does not answer, its free space is unknown');
    return null;
  };
  return async () => {
    const found = await Promise.all(folders.map((folder) => (folder === null ? null : look(folder))));
    const full = new Set(found.filter((disk) => disk !== null));
    return [...full].map((disk) => ({ cause: `the disk at ${disk} is nearly full`, afterMs: 0 }));
  };
}

/**
 * Where the disk of a folder is mounted, if it is nearly full; otherwise null, also for a folder that does not exist. It
 * never throws: the watch takes an error for one of the database.
 */
async function fullDisk(folder: string): Promise<string | null> {
  const disk = await statfs(folder).catch(() => null);
  if (!disk || disk.bavail >= disk.blocks * freeShare || disk.bavail * disk.bsize >= freeBytes) return null;
  return mountPoint(folder).catch(() => null);
}

/** The uppermost folder on the same disk. */
async function mountPoint(folder: string): Promise<string> {
  let found = resolve(folder);
  const { dev } = await stat(found);
  for (let above = dirname(found); above !== found && (await stat(above)).dev === dev; above = dirname(found))
    found = above;
  return found;
}

interface Options {
  database: Database;
  /** On whose disks the process writes. */
  folders: readonly (string | null)[];
  log: Log;
}

/** What an `api` sees, and every process; of the database once a minute. */
export function conditionsOfApi({ database, folders, log }: Options): ReadConditions {
  let stored: { atMs: number; found: GatewayCondition[] } | null = null;
  const fullDisks = watchDisks(folders, log);
  /** A database that answers, but not to this, is busy with long readers: that it is away is told by the ping alone. */
  const readStored = (before: GatewayCondition[]) =>
    storedConditions(database).catch((error: unknown) => {
      log.warn({ err: error }, 'conditions of the gateway not read, retrying in a minute');
      return before;
    });
  return async () => {
    const beganMs = performance.now();
    await pingDatabase(database);
    const isSlow = performance.now() - beganMs > slowMs;
    if (stored === null || performance.now() - stored.atMs >= storedMs)
      stored = { atMs: performance.now(), found: await readStored(stored?.found ?? []) };
    const found = [...stored.found, ...(await fullDisks())];
    return isSlow ? [...found, { cause: 'the database is slow', afterMs: 10_000 }] : found;
  };
}

/** What a worker sees. */
export function conditionsOfWorker(options: Options & { temporal: Pick<TemporalHealth, 'answers'> }): ReadConditions {
  const common = conditionsOfApi(options);
  return async () => {
    const answers = await options.temporal.answers();
    const found = await common();
    return answers ? found : [...found, { cause: 'Temporal does not answer', afterMs: 20_000 }];
  };
}
