import { dirname } from 'node:path';
import { StartError } from '../shared/start-error.ts';
import { isRoot } from './os-process.ts';
import { runCommand } from './run-command.ts';

/** The user as whom the database runs; null: the user of the gateway. */
export type PostgresUser = { uid: number; gid: number } | null;

const userName = 'postgres';
const limitMs = 20_000;

/**
 * Determines the user for PostgreSQL, which refuses to run as root. If the gateway runs as root, PostgreSQL runs as the
 * system user `postgres`, which is created if necessary. This user must have access to all folders above the given
 * paths.
 *
 * @throws StartError that names the folder without access.
 */
export async function postgresUser(needed: { dataDir: string; program: string }): Promise<PostgresUser> {
  if (!isRoot()) return null;
  const user = (await lookup()) ?? (await create());
  const obstacle = await firstClosedFolder(user, [needed.program, needed.dataDir]);
  if (obstacle !== null) throw new StartError(closedFolderMessage(obstacle, needed));
  return user;
}

function closedFolderMessage(obstacle: string, needed: { dataDir: string; program: string }): string {
  const isAbove = (path: string) => path === obstacle || path.startsWith(`${obstacle}/`);
  const remedies = [
    ...(isAbove(needed.program) ? ['move the project to a place that every user may enter, such as /srv or /opt'] : []),
    // Another data folder helps only if the same folder does not also block the programs.
    ...(isAbove(needed.dataDir) && !isAbove(needed.program)
      ? ['set DATA_DIR to a folder that every user may enter, such as /var/lib/webhook-gateway']
      : []),
    'run the gateway as a normal user',
    'set DATABASE_URL to a PostgreSQL of your own',
  ];
  const what = [
    ...(isAbove(needed.program) ? ['its program'] : []),
    ...(isAbove(needed.dataDir) ? ['its data'] : []),
  ].join(' and ');
  return (
    `PostgreSQL refuses to run as root, and the user '${userName}' that it runs as instead may not enter the folder ` +
    `${obstacle}, where ${what} would be. Do one of these: ${remedies.join('; ')}.`
  );
}

async function lookup(): Promise<PostgresUser> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => {
      const found = await runCommand('id', [flag, userName], { limitMs });
      return found.ok && /^\d+$/.test(found.output.trim()) ? Number(found.output) : null;
    }),
  );
  return typeof uid === 'number' && typeof gid === 'number' ? { uid, gid } : null;
}

async function create(): Promise<NonNullable<PostgresUser>> {
  const made = await runCommand(
    'useradd',
    ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', userName],
    { limitMs },
  );
  // Alpine has busybox's adduser instead of useradd.
  if (!made.ok) await runCommand('adduser', ['-S', '-D', '-H', userName], { limitMs });
  const user = await lookup();
  if (user !== null) return user;
  throw new StartError(
    `PostgreSQL refuses to run as root, and the system user '${userName}' for it could not be created` +
      `${made.ok ? '' : ` (${made.reason})`}. Create that user, run the gateway as a normal user, or set DATABASE_URL.`,
  );
}

/** Checks as that user, because access control lists and security modules also apply, not only permission bits. */
async function firstClosedFolder(user: NonNullable<PostgresUser>, paths: string[]): Promise<string | null> {
  const folders = [...new Set(paths.flatMap(foldersDownTo))];
  const script = 'for folder; do [ -x "$folder" ] || { printf "closed:%s\\n" "$folder"; exit 0; }; done';
  const asked = await runCommand('/bin/sh', ['-c', script, 'sh', ...folders], { ...user, cwd: '/', limitMs });
  return asked.ok ? (/^closed:(.*)$/m.exec(asked.output)?.[1] ?? null) : null;
}

function foldersDownTo(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [...foldersDownTo(above), path];
}
