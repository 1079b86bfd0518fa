import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../shared/start-error.ts';
import { syncFolder } from '../shared/sync-folder.ts';
import type { PostgresProgram } from './postgres-program.ts';
import type { PostgresUser } from './postgres-user.ts';
import { runCommand } from './run-command.ts';

/** The database's superuser, as whom the gateway connects. */
export const databaseUser = 'gateway';

const unfinishedPrefix = 'new-';
/** A slow disk takes a minute to write the 40 MB of an empty cluster, so this leaves a margin. */
const initLimitMs = 5 * 60_000;

interface ClusterOptions {
  program: PostgresProgram;
  user: PostgresUser;
  password: string;
  onProgress(line: string): void;
}

/**
 * Returns the folder of the database cluster, and creates the cluster at the first start. It is created under another
 * name and renamed when it is complete, so that an interrupted creation is simply repeated.
 *
 * @throws StartError when it cannot be created, or when an existing cluster belongs to another version of PostgreSQL.
 */
export async function openCluster(options: ClusterOptions & { dataDir: string }): Promise<string> {
  const { user } = options;
  const home = join(options.dataDir, 'postgres');
  await mkdir(home, { recursive: true, mode: 0o700 });
  if (user) await chown(home, user.uid, user.gid);
  for (const name of await readdir(home))
    if (name.startsWith(unfinishedPrefix)) await removeUnfinished(join(home, name));

  const cluster = join(home, 'data');
  if (await exists(cluster)) await checkVersion(cluster, options.program.majorVersion);
  else await createCluster({ ...options, home, cluster });
  return cluster;
}

async function createCluster(options: ClusterOptions & { home: string; cluster: string }): Promise<void> {
  const { home, cluster, user } = options;
  options.onProgress('Creating the database (once) …');
  const unfinished = await mkdtemp(join(home, unfinishedPrefix));
  try {
    const passwordFile = join(unfinished, 'password');
    await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 });
    if (user) for (const path of [unfinished, passwordFile]) await chown(path, user.uid, user.gid);
    const made = await runCommand(
      options.program.initdb,
      [
        `--pgdata=${join(unfinished, 'data')}`,
        `--username=${databaseUser}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // PostgreSQL's built-in locale: available on every system, with the same sort order.
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--data-checksums',
      ],
      { limitMs: initLimitMs, env: { LC_ALL: 'C', TZ: 'UTC' }, cwd: '/', ...user },
    );
    if (!made.ok) {
      throw new StartError(
        `The database could not be created in ${home}: ${made.reason}. Check the free space and the permissions of that folder, ` +
          `or set DATABASE_URL to a PostgreSQL of your own.`,
      );
    }
    await rename(join(unfinished, 'data'), cluster);
    await syncFolder(home);
  } finally {
    await removeUnfinished(unfinished);
  }
}

/**
 * Removes an unfinished cluster. An initdb of a killed gateway may still run in it, and fails then. Errors are ignored.
 */
async function removeUnfinished(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => undefined);
}

async function checkVersion(cluster: string, majorVersion: string): Promise<void> {
  const found = await readFile(join(cluster, 'PG_VERSION'), 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
  if (found === majorVersion) {
    // PostgreSQL refuses a folder that other users may read, which a copy or a restore may leave.
    await chmod(cluster, 0o700);
    return;
  }
  const advice =
    `Restore ${cluster} from a backup, set DATA_DIR to a new folder, or set DATABASE_URL to a PostgreSQL of your own. ` +
    `Nothing was changed.`;
  throw new StartError(
    found === null
      ? `The database folder is damaged: ${join(cluster, 'PG_VERSION')} is missing or cannot be read. ${advice}`
      : `The database in ${cluster} is of PostgreSQL ${found.slice(0, 20)}, and this gateway brings PostgreSQL ${majorVersion}. ` +
          `Start the gateway's version that wrote it. ${advice}`,
  );
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
