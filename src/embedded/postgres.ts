import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions } from '../database/connection-options.ts';
import type { Log } from '../shared/log.ts';
import { StartError } from '../shared/start-error.ts';
import { type Child, type StopSignals, startChild } from './child.ts';
import type { DataDir } from './data-dir.ts';
import { explainFileError } from './file-error.ts';
import { freePort, rememberedPort, rememberPort, wasPortTaken } from './ports.ts';
import { databaseUser, openCluster } from './postgres-cluster.ts';
import { stopOrphanedPostgres } from './postgres-orphan.ts';
import { postgresProgram } from './postgres-program.ts';
import { postgresUser } from './postgres-user.ts';
import { serverLog } from './server-log.ts';
import { type Probe, type Start, type SupervisedServer, startSupervised } from './supervised-server.ts';

/**
 * Each connection keeps up to 4 MiB of memory that it has used. By default, glibc returns more than 128 KiB to the kernel
 * after each statement (mallopt(3)), and the next statement that needs it takes up to twice as long.
 */
export const keptMemory = {
  MALLOC_TRIM_THRESHOLD_: String(4 * 1024 * 1024),
  MALLOC_MMAP_THRESHOLD_: String(4 * 1024 * 1024),
  MALLOC_TOP_PAD_: String(1024 * 1024),
};

export type EmbeddedPostgres = SupervisedServer & {
  /** The URL of the database `gateway`, with the password. */
  url: string;
};

type StartOptions = { dataDir: DataDir; log: Log; onProgress(line: string): void };

const databaseName = 'gateway';
/** Not 5432, which the user's own PostgreSQL may use. */
const basePort = 15432;
/**
 * A free port may be taken before the server listens. Each try chooses a new port, so more than one is rarely needed.
 */
const startTries = 10;
/** Fast shutdown, then after 20 s immediate shutdown, which loses no data but needs a recovery at the next start. */
const stopSignals: StopSignals = { signal: 'SIGINT', limitMs: 20_000, insistWith: 'SIGQUIT' };
const connectLimitMs = 5_000;

/** The settings for durability (`fsync`, `synchronous_commit`, `full_page_writes`) keep their default: on. */
export const settings: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  // No Unix sockets: their paths have a length limit, which deep data folders exceed.
  unix_socket_directories: '',
  max_connections: '200',
  // A statement about months of events locks a few tables and indexes for each day.
  max_locks_per_transaction: '256',
  shared_buffers: '256MB',
  // Fewer checkpoints, and so fewer full page writes in the WAL under load.
  max_wal_size: '2GB',
  wal_compression: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // The gateway logs the errors of its own statements, so they are not needed in this file.
  log_min_messages: 'log',
};

/**
 * Starts the PostgreSQL of the data folder and keeps it running on `127.0.0.1` until `stop()`. Creates the database at
 * the first start.
 *
 * @throws StartError with advice. No process is left running then.
 */
export async function startPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  try {
    return await started(options);
  } catch (error) {
    throw explainFileError(options.dataDir.path, error);
  }
}

async function started(options: StartOptions): Promise<EmbeddedPostgres> {
  const { dataDir } = options;
  const program = await postgresProgram();
  const user = await postgresUser({ dataDir: dataDir.path, program: program.postgres });
  const password = dataDir.secret('postgres-password', () => randomBytes(24).toString('hex'));
  const cluster = await openCluster({ ...options, dataDir: dataDir.path, program, user, password });
  const output = serverLog(join(dataDir.path, 'postgres.log'));
  const urlOf = (port: number, database: string) =>
    // With an explicit sslmode, because clients would otherwise use the user's PGSSLMODE.
    `postgresql://${databaseUser}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;

  const launchOn = async (port: number): Promise<Child> => {
    await stopOrphanedPostgres(cluster, stopSignals);
    const flags = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    return startChild(program.postgres, ['-D', cluster, ...flags], {
      // Only these: the user's PGDATA or PGPORT must not apply to this server.
      env: { LC_ALL: 'C', TZ: 'UTC', ...keptMemory },
      cwd: '/',
      output,
      onGatewayExit: stopSignals.signal,
      ...user,
    });
  };
  const startOn = (port: number): Promise<Start> =>
    startSupervised({
      name: 'PostgreSQL',
      launch: () => launchOn(port),
      probe: (pid) => probe(pid, cluster, urlOf(port, 'postgres')),
      // No limit, because recovery after a crash may take long. If the start fails, the process ends by itself.
      readyLimitMs: null,
      stop: stopSignals,
      log: options.log,
      onWaiting: (elapsedMs) => options.onProgress(`Waiting for the database … ${Math.round(elapsedMs / 1000)} s`),
    });

  for (let tried = 1; ; tried += 1) {
    // Before choosing a port, because the orphaned server may still hold the previous one.
    await stopOrphanedPostgres(cluster, stopSignals);
    const port = await freePort([rememberedPort(dataDir.path, 'postgres')], basePort);
    const start = await startOn(port);
    if (!start.started) {
      const settling = isSettling(output.tail(20));
      if (tried < startTries && (settling || (await wasPortTaken([port], output.tail(8))))) {
        if (settling) await sleep(settlingMs);
        continue;
      }
      throw new StartError(failureMessage(start.why, cluster, output.path, output.tail(8)));
    }
    try {
      await createDatabase(urlOf(port, 'postgres'));
      rememberPort(dataDir.path, 'postgres', port, options.log);
      return { ...start.server, url: urlOf(port, databaseName) };
    } catch (error) {
      await start.server.stop();
      const why = error instanceof Error ? error.message : String(error);
      throw new StartError(failureMessage(why, cluster, output.path, output.tail(8)));
    }
  }
}

/** After a SIGKILL of the main process, its children need some time to end and release the shared memory. */
const settlingMs = 500;
const isSettling = (log: string) => log.includes('pre-existing shared memory block');

function failureMessage(why: string, cluster: string, logPath: string, lastLines: string): string {
  return (
    `The embedded PostgreSQL did not start (${why}). Its log ${logPath} ends with:\n` +
    `${lastLines.replaceAll(/^/gm, '    ')}\n` +
    `If the database folder ${cluster} is damaged, restore it from a backup or set DATA_DIR to a new folder; or set ` +
    `DATABASE_URL to a PostgreSQL of your own. Nothing was deleted.`
  );
}

async function probe(pid: number, cluster: string, url: string): Promise<Probe> {
  // The server on the port may belong to another gateway that took the port first. So check the own folder's pid file.
  const [reporter, , , , , , , status] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
  if (Number(reporter) !== pid || status?.trim() !== 'ready') return { state: 'starting' };
  try {
    await onServer(url, async () => undefined);
    return { state: 'ready' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== '28P01') return { state: 'starting' };
    return { state: 'refused', why: 'the password in secrets/postgres-password is not that of this database' };
  }
}

const createDatabase = (url: string) =>
  onServer(url, async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseName]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
  });

/** Runs `work` on a connection of its own. */
async function onServer(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...connectionOptions(url), connectionTimeoutMillis: connectLimitMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
