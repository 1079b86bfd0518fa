import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../shared/start-error.ts';
import type { StopSignals } from './child.ts';
import { commandOf, endForeign, pidExists } from './os-process.ts';

/**
 * Stops the PostgreSQL of a killed gateway if it still runs on this cluster. Also removes a `postmaster.pid` whose pid
 * now belongs to another program, or to the PostgreSQL of another folder, because PostgreSQL would assume a running server.
 *
 * @throws StartError when it cannot be stopped.
 */
export async function stopOrphanedPostgres(cluster: string, stop: StopSignals): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = await readFile(pidFile, 'utf8').then(
    (text) => Number.parseInt(text, 10),
    () => Number.NaN,
  );
  if (!(pid > 1) || !pidExists(pid)) return;
  const command = await commandOf(pid);
  if (command === null || !/\bpostgres\b/.test(command)) {
    await rm(pidFile, { force: true });
    return;
  }
  const runsHere = command.includes(cluster) ? true : await runsIn(pid, cluster);
  if (runsHere !== true) {
    // Where the folder of the other PostgreSQL is unknown, the new server itself decides by the pid file.
    if (runsHere === false) await rm(pidFile, { force: true });
    return;
  }
  if (await endForeign(pid, stop)) return;
  throw new StartError(
    `A PostgreSQL that an earlier gateway left behind (process ${pid}) still runs on ${cluster} and cannot be stopped. ` +
      `Stop it with: kill -INT ${pid}`,
  );
}

/**
 * Whether a folder is the working directory of a process; null when that is unknown. PostgreSQL's is its data folder, also
 * after the folder was renamed.
 */
async function runsIn(pid: number, folder: string): Promise<boolean | null> {
  const found = await stat(`/proc/${pid}/cwd`).catch(() => null);
  if (found === null) return null;
  const { dev, ino } = await stat(folder);
  return found.dev === dev && found.ino === ino;
}
