import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrateOnce } from '../../src/database/migrate.ts';
import { postgresProgram } from '../../src/embedded/postgres-program.ts';
import { postgresUser } from '../../src/embedded/postgres-user.ts';
import { runCommand } from '../../src/embedded/run-command.ts';
import { createLog } from '../../src/shared/log.ts';
import { roleStatements } from '../docker/roles-sql.ts';
import { openPostgres, type Template } from '../faults/postgres.ts';
import { openClient } from '../support/one-connection.ts';
import { makeNamespace } from './temporal-server/namespace.ts';
import type { TemporalPrograms } from './temporal-server/program.ts';
import { makeTemporalSchema } from './temporal-server/schema.ts';
import { openTemporalServer } from './temporal-server/server.ts';

export const namespace = 'default';
const initLimitMs = 5 * 60_000;

/** One server for the gateway and for Temporal, with the settings of docker-compose.yml. */
const settings = {
  max_connections: '400',
  max_locks_per_transaction: '256',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  wal_compression: 'on',
};
const mebibyte = 1024 * 1024;
/** The files of five databases are larger than those of one, and Temporal writes its workflows to the same disk. */
const smallDisk = {
  disk: { bytes: 1_024 * mebibyte, leftBytes: 320 * mebibyte },
  settings: { ...settings, max_wal_size: '64MB' },
};

/** A prepared PostgreSQL, which is copied for each start of a cluster. */
export interface ClusterTemplate extends Template {
  /** The same, for a file system that can become full. */
  small: Template;
  /** The URL of the database `postgres` for the superuser. */
  superuserUrl: string;
  /** The role that owns Temporal's databases. */
  temporal: { user: string; password: string };
}

/**
 * Makes the databases of docker-compose.yml: the roles of docker/postgresql/roles.sql, the gateway's schema by its
 * migrations, Temporal's by its own tool, and the namespace.
 */
export async function makeClusterTemplate(folder: string, programs: TemporalPrograms): Promise<ClusterTemplate> {
  mkdirSync(folder, { mode: 0o755 });
  const passwords = {
    superuser: newPassword(),
    GATEWAY_POSTGRES_PASSWORD: newPassword(),
    TEMPORAL_POSTGRES_PASSWORD: newPassword(),
  };
  const urlOf = (user: string, password: string, database: string) =>
    `postgresql://${user}:${password}@127.0.0.1/${database}?sslmode=disable`;
  const superuserUrl = urlOf('postgres', passwords.superuser, 'postgres');
  const url = urlOf('gateway', passwords.GATEWAY_POSTGRES_PASSWORD, 'gateway');
  const temporal = { user: 'temporal', password: passwords.TEMPORAL_POSTGRES_PASSWORD };

  const empty = join(folder, 'empty');
  await initdb(folder, empty, passwords.superuser);
  const work = join(folder, 'work');
  mkdirSync(work, { mode: 0o755 });
  const postgres = await openPostgres({
    ...{ folder: work, onSmallDisk: false, logPath: join(folder, 'postgres.log') },
    template: { cluster: empty, url: superuserUrl, settings },
  });
  try {
    await postgres.start();
    for (const statement of roleStatements(passwords)) await postgres.query(statement);
    const at = (base: string) => Object.assign(new URL(base), { port: String(postgres.port) }).href;
    await migrateOnce(at(url), createLog('fatal'));
    await makeTemporalSchema(programs.sqlTool, { ...temporal, port: postgres.port });
    const server = await openTemporalServer({
      ...{ folder: work, logPath: join(folder, 'temporal.log'), program: programs.server },
      postgres: { ...temporal, port: postgres.port },
    });
    try {
      await server.start();
      await makeNamespace(`127.0.0.1:${server.port}`, namespace);
    } finally {
      await server.close();
    }
    // A copy has other ports, and would first look for this server at its old ones.
    await execute(at(urlOf(temporal.user, temporal.password, 'temporal')), 'delete from cluster_membership');
  } finally {
    await postgres.close();
  }
  rmSync(empty, { recursive: true });
  const cluster = join(work, 'cluster');
  return { cluster, url, settings, small: { cluster, url, ...smallDisk }, superuserUrl, temporal };
}

const newPassword = () => randomBytes(24).toString('hex');

async function execute(url: string, statement: string): Promise<void> {
  const client = await openClient(url);
  await client.query(statement).finally(() => client.end());
}

/** An empty cluster with the superuser `postgres`, as the image of docker-compose.yml makes it. */
async function initdb(folder: string, cluster: string, password: string): Promise<void> {
  const program = await postgresProgram();
  const user = await postgresUser({ dataDir: folder, program: program.postgres });
  mkdirSync(cluster, { mode: 0o700 });
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user) for (const path of [cluster, passwordFile]) chownSync(path, user.uid, user.gid);
  const made = await runCommand(
    program.initdb,
    [
      ...[`--pgdata=${cluster}`, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--data-checksums'],
    ],
    { limitMs: initLimitMs, env: { LC_ALL: 'C', TZ: 'UTC' }, cwd: '/', ...user },
  );
  rmSync(passwordFile);
  if (!made.ok) throw new Error(`initdb failed: ${made.reason}`);
}
