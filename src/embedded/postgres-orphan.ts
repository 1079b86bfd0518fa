import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../shared/start-error.ts';
import type { StopSignals } from './child.ts';
import { commandOf, endForeign, pidExists } from './os-process.ts';

/**
 * Stops the PostgreSQL of an earlier gateway that was killed, if one still runs on this cluster, and only that one. Also
 * removes a `postmaster.pid` whose pid has become some other program's: PostgreSQL would take that for a running server.
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
  // A PostgreSQL of somebody else: ours will look at the rest of the file and decide.
  if (!(await runsOn(pid, command, cluster))) return;
  if (await endForeign(pid, stop)) return;
  throw new StartError(
    `A PostgreSQL that an earlier gateway left behind (process ${pid}) still runs on ${cluster} and cannot be stopped. ` +
      `Stop it with: kill -INT ${pid}`,
  );
}

/** PostgreSQL works in its data folder, so the folder is known even after it was renamed. */
async function runsOn(pid: number, command: string, cluster: string): Promise<boolean> {
  if (command.includes(cluster)) return true;
  const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return workingFolder !== null && workingFolder === (await realpath(cluster));
}
