import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrateOnce } from '../../src/database/migrate.ts';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { keptMemory, startPostgres } from '../../src/embedded/postgres.ts';
import { postgresProgram } from '../../src/embedded/postgres-program.ts';
import { postgresUser } from '../../src/embedded/postgres-user.ts';
import { createLog } from '../../src/shared/log.ts';
import { ServerProcess } from './server-process.ts';
import { openSmallDisk, type SmallDisk } from './small-disk.ts';
import { untilUp } from './until-up.ts';

/** A cluster with the gateway's schema, made once and copied for each seed. */
export interface Template {
  cluster: string;
  /** The URL of the database `gateway`; each seed has its own port. */
  url: string;
  /** Settings that replace or add to those below. */
  settings?: Record<string, string>;
  /** Where the file system can become full: its size, and the part of it that a seed may write. */
  disk?: { bytes: number; leftBytes: number };
}

export async function makeTemplate(folder: string): Promise<Template> {
  mkdirSync(folder, { mode: 0o755 });
  const log = createLog('fatal');
  const dataDir = openDataDir(folder);
  const postgres = await startPostgres({ dataDir, log, onProgress: () => undefined });
  await migrateOnce(postgres.url, log);
  await postgres.stop();
  dataDir.release();
  return { cluster: join(folder, 'postgres', 'data'), url: postgres.url };
}

const mebibyte = 1024 * 1024;
/** Room for the cluster, which has about 60 MB, and for the events of a seed and two files of its log. */
const usualDisk = { bytes: 256 * mebibyte, leftBytes: 64 * mebibyte };

/** As the embedded server has them (src/embedded/postgres.ts). The settings for durability keep their default: on. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  max_locks_per_transaction: '256',
  shared_buffers: '128MB',
  max_wal_size: '64MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export interface Postgres {
  process: ServerProcess;
  port: number;
  /** The URL of the database by another port, that of a proxy. */
  urlBy(port: number): string;
  /** Null unless the cluster is on a small file system. */
  disk: SmallDisk | null;
  /** Starts the server and waits until it accepts connections. A start that fails is repeated. */
  start(): Promise<void>;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** @param onSmallDisk whether the cluster is on a file system that can become full. It is in memory then. */
export async function openPostgres(options: {
  folder: string;
  template: Template;
  logPath: string;
  onSmallDisk: boolean;
}): Promise<Postgres> {
  const { folder, template } = options;
  const { postgres: program } = await postgresProgram();
  const user = await postgresUser({ dataDir: folder, program });
  const { bytes, leftBytes } = template.disk ?? usualDisk;
  const disk = options.onSmallDisk ? await openSmallDisk(folder, bytes) : null;
  const cluster = join(disk?.folder ?? folder, 'cluster');
  // `--archive` keeps the owner.
  await promisify(execFile)('cp', ['--archive', template.cluster, join(disk?.seen ?? folder, 'cluster')]);
  await disk?.fillMost(leftBytes);
  const port = await freePort([], 21_000 + Math.floor(Math.random() * 4_000));
  const flags = Object.entries({ ...settings, ...template.settings, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const ids = user ? [`--setuid=${user.uid}`, `--setgid=${user.gid}`] : [];
  const server = new ServerProcess({
    name: 'postgres',
    logPath: options.logPath,
    launch: () => ({
      command: [...(disk ? [...disk.within, ...ids] : []), program, '-D', cluster, ...flags],
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH ?? '', ...keptMemory },
      cwd: '/',
      ...(disk ? {} : (user ?? {})),
    }),
  });
  const urlBy = (by: number) => {
    const url = new URL(template.url);
    url.port = String(by);
    return url.href;
  };
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: urlBy(port), connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return {
    process: server,
    port,
    urlBy,
    disk,
    query,
    start: () =>
      untilUp('postgres', () => {
        // Does nothing while it runs. A killed server's children may still hold the shared memory for a moment.
        server.start();
        return query('select 1').then(
          () => true,
          () => false,
        );
      }),
    async close() {
      await server.stop('SIGINT', 10_000);
      disk?.close();
    },
  };
}
