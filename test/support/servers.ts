import { appendFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { migrateOnce } from '../../src/database/migrate.ts';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { startTemporal } from '../../src/embedded/temporal.ts';
import { createLog } from '../../src/shared/log.ts';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle.ts';
import { cpuTimes } from '../bench/cpu.ts';
import { compileCache } from './compile-cache.ts';
import { freshDatabase } from './database.ts';
import { refuseEnvFile } from './env-file.ts';
import { killAbandoned } from './gateway-process.ts';
import { leaksInDatabases } from './leaks/database.ts';
import { reportOf } from './leaks/markers.ts';
import { leaksInTemporal } from './leaks/temporal.ts';
import { openClient } from './one-connection.ts';
import { temporalProgram } from './temporal-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a database for the superuser. */
    postgresUrl: string;
    /**
     * The role that owns the databases of tests; null: the superuser. A role that is not the superuser means that the tests run
     * on a cluster (test/cluster/e2e/), where the gateway's roles are processes.
     */
    databaseOwner: { username: string; password: string } | null;
    /** The name of a database with the gateway's schema, the template of others. There may be no connections to it. */
    migratedDatabase: string;
    temporalAddress: string;
    temporalUiUrl: string;
    workflowCode: string;
    /** A folder with the compile cache of gateway processes. */
    compileCache: string;
    /** A folder for the data folders that tests copy: see `prepared.ts`. */
    preparedFolders: string;
  }
}

/** One real PostgreSQL and one real Temporal for the whole run; each test file has its own database and task queue. */
export default async function setup(project: TestProject) {
  refuseEnvFile(fileURLToPath(new URL('../..', import.meta.url)));
  killAbandoned();
  const log = createLog('warn');
  const program = await temporalProgram((line) => console.log(line));
  const folder = await mkdtemp(join(tmpdir(), `gateway-test-${process.pid}-`));
  // The database's user must be able to enter the folder.
  await chmod(folder, 0o755);
  const dataDir = openDataDir(folder);
  const postgres = await startPostgres({ dataDir, log, onProgress: () => undefined });
  await disableDurability(postgres.url);
  // All gateways of the run share it, so it does not stand back behind them. Its data is deleted after the run, as that of
  // PostgreSQL: with a disk that was busy for minutes, one write that waited for it held up the deliveries of all files.
  const server = { dataDir, program, namespace: 'default', uiPort: 28233, retentionHours: 72 };
  const temporal = await startTemporal({ ...server, log, lowered: false, durable: false });
  project.provide('postgresUrl', postgres.url);
  project.provide('databaseOwner', null);
  const migrated = await freshDatabase(postgres.url);
  await migrateOnce(migrated, log);
  project.provide('migratedDatabase', new URL(migrated).pathname.slice(1));
  project.provide('temporalAddress', temporal.address);
  project.provide('temporalUiUrl', temporal.uiUrl);
  project.provide('compileCache', compileCache);
  const prepared = join(folder, 'prepared');
  await mkdir(prepared);
  // As the folder above; the mode of `mkdir` is subject to the umask.
  await chmod(prepared, 0o755);
  project.provide('preparedFolders', prepared);
  project.provide('workflowCode', (await bundleWorkflows({ cacheDir: null, log })).code);
  return async () => {
    noteServers();
    await temporal.stop();
    const leaks = [...leaksInTemporal(join(folder, 'temporal.db')), ...(await leaksInDatabases(postgres.url))];
    await postgres.stop();
    dataDir.release();
    await rm(folder, { recursive: true, force: true });
    if (leaks.length > 0) throw new Error(reportOf(leaks));
  };
}

/** For TEST_CPU: what the shared servers have used (`cpu-times.ts`). */
function noteServers(): void {
  const output = process.env.TEST_CPU;
  if (output === undefined) return;
  const { database, engine } = cpuTimes([]);
  for (const [server, cpuMs] of Object.entries({ PostgreSQL: database, Temporal: engine }))
    appendFileSync(output, `${JSON.stringify({ server, cpuMs })}\n`);
}

/**
 * Turns off durability and autovacuum: no test stops this server, and its data is deleted after the run. Otherwise
 * autovacuum would visit each of the hundreds of databases once a minute.
 */
async function disableDurability(url: string): Promise<void> {
  const client = await openClient(url);
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum'])
    await client.query(`alter system set ${setting} = off`);
  await client.query('select pg_reload_conf()');
  // A run makes thousands of connections, and half the cost of each is the password hash of 4,096 rounds.
  await client.query('set scram_iterations = 1');
  const { username, password } = new URL(url);
  await client.query(`alter role ${client.escapeIdentifier(username)} password ${client.escapeLiteral(password)}`);
  await client.end();
}
