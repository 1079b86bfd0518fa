import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../shared/start-error.ts';

/** The kernel needs a moment to clear away a process that was just killed, longest one with much memory. */
const patienceMs = 500;
/** SQLITE_BUSY: somebody else holds the file. */
const sqliteBusy = 5;

/** Only to keep them: a database that nobody refers to is closed by the garbage collector, and the lock would go with it. */
const held = new Set<DatabaseSync>();

/**
 * Takes the folder for this process and returns how to give it back.
 *
 * The lock is one of the kernel on a file that stays (Node offers none but through SQLite's exclusive transaction, in
 * which nothing is ever written). So it ends with the process, even by SIGKILL; no pid has to be compared, which would fail
 * when pids are used again, and two containers that share the folder see each other too. The pid file is only for people.
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
  const lock = new DatabaseSync(file, { timeout: patienceMs });
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
