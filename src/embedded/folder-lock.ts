import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../shared/start-error.ts';

/**
 * How long to wait for the lock. The kernel releases the locks of a process that was just killed when it has freed its
 * memory, on a busy machine only after seconds.
 */
const lockWaitMs = 3_000;
/** SQLITE_BUSY: another process holds the lock. */
const sqliteBusy = 5;

/** Keeps references: the garbage collector closes an unreferenced database, which would release its lock. */
const held = new Set<DatabaseSync>();

/**
 * Locks the folder for this process and returns the function that releases it.
 *
 * It is a kernel lock on a file. Node offers such locks only through an exclusive SQLite transaction, in which nothing
 * is written. The lock ends with the process, even after SIGKILL, and it also works between containers that share the
 * folder. Comparing pids would fail when a pid is reused; the pid file is only for information.
 *
 * The packages for kernel locks are native addons; SQLite is part of Node. The lock of `proper-lockfile` is a folder whose
 * age decides: it outlives a killed process by seconds, and a suspended process loses it.
 *
 * @throws StartError when another process holds the folder.
 */
export function lockFolder(folder: string): () => void {
  const pidFile = join(folder, 'gateway.pid');
  const lock = openedLock(join(folder, 'gateway.lock'));
  if (lock === null) {
    throw new StartError(
      `Another gateway${pidIn(pidFile)} is running on the data folder ${folder}. Stop it first, or give this one a folder and a ` +
        `port of its own with DATA_DIR and PORT.`,
    );
  }
  held.add(lock);
  const release = () => {
    if (held.delete(lock)) lock.close();
  };
  try {
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

function openedLock(file: string): DatabaseSync | null {
  const lock = new DatabaseSync(file, { timeout: lockWaitMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `The data folder cannot be locked (${file}: ${reason}). Its file system may know no locks, or the file is damaged: ` +
        `delete it, or set DATA_DIR to a folder on a local disk.`,
    );
  }
}

function pidIn(file: string): string {
  try {
    return ` (process ${readFileSync(file, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
