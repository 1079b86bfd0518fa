import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { migrateOnce } from '../../src/database/migrate.ts';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { lockFolder } from '../../src/embedded/folder-lock.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { createLog } from '../../src/shared/log.ts';
import { spawnGateway } from './gateway-process.ts';
import { until } from './until.ts';

/**
 * Data folders to copy, each made once in a run by the first test that needs it:
 *
 * - `migrated`: a PostgreSQL whose database `gateway` has the schema and no rows;
 * - `started`: the state after a first start of the role `all`, with its key and its token.
 */
export type Prepared = 'migrated' | 'started';

/** A copy saves the three seconds of processor time that initdb, migrations and Temporal's schema need. */
const make: Record<Prepared, (folder: string) => Promise<void>> = {
  async migrated(folder) {
    const log = createLog('fatal');
    const dataDir = openDataDir(folder);
    const postgres = await startPostgres({ dataDir, log, onProgress: () => undefined });
    await migrateOnce(postgres.url, log);
    await postgres.stop();
    dataDir.release();
  },
  async started(folder) {
    await copyPrepared('migrated', folder);
    const gateway = spawnGateway('all', { PORT: '0', DATA_DIR: folder });
    await gateway.printed(/Ctrl-C stops everything/);
    const { code } = await gateway.stop();
    if (code !== 0) throw new Error(`the gateway of the prepared folder did not stop: ${gateway.stderr()}`);
  },
};

/** Files of the servers and the process that ran on the folder, which are not copied. */
const leftBehind = [
  'gateway.pid',
  'postgres.log',
  'temporal.log',
  'postgres.port',
  'temporal.port',
  'temporal-ui.port',
  'worker-metrics.port',
];
/** Enough for two starts on a busy machine. */
const makeLimitMs = 240_000;

/** Fills an empty folder. The files keep their owners, because PostgreSQL does not run as root. */
export async function copyPrepared(which: Prepared, folder: string): Promise<void> {
  await promisify(execFile)('cp', ['--archive', '--reflink=auto', `${await prepared(which)}/.`, folder]);
}

async function prepared(which: Prepared): Promise<string> {
  const all = inject('preparedFolders');
  const folder = join(all, which);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-unfinished`;
  const lock = join(all, `${which}-lock`);
  mkdirSync(lock, { recursive: true });
  // Other workers of the run may need the folder at the same moment. The lock ends with its process.
  const release = await until(`the folder '${which}' is prepared`, () => lockedBy(lock), makeLimitMs);
  try {
    if (existsSync(folder)) return folder;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o755 });
    await make[which](unfinished);
    for (const name of leftBehind) rmSync(join(unfinished, name), { force: true });
    renameSync(unfinished, folder);
    return folder;
  } finally {
    release();
  }
}

/** Locks the folder and returns the release function; null while another worker holds the lock. */
function lockedBy(folder: string): (() => void) | null {
  try {
    return lockFolder(folder);
  } catch {
    return null;
  }
}
