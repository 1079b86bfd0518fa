import { ApplicationFailure } from '@temporalio/common';
import type { MaintenanceCounts } from '../../workflows/maintenance-messages.ts';
import type { Database } from '../database/database.ts';
import { untilWritten } from '../database/until-written.ts';
import { backupIsAlive, completeBackup, readCompletedBackup } from './backup-rows.ts';
import type { BackupStore } from './backup-store.ts';
import { deleteUnlessCompleted, tidyBackups } from './tidy-backups.ts';
import { type BackupProgress, type MadeBackup, type WriteDeps, writeBackup } from './write-backup.ts';

/** The interval of heartbeats, which also show the progress. A backup without one for two minutes has failed. */
const aliveMs = 2_000;

export interface BackupDeps extends Omit<WriteDeps, 'database' | 'store'> {
  database: Database;
  /** Null: this worker has no place for backups, and does not take their queue. */
  store: BackupStore | null;
  /** The number of completed backups to keep. */
  keep: number;
}

/**
 * Makes the backup of this row, then tidies the store. Called again after a worker crashed, it starts from the
 * beginning. It waits for a database that is unavailable when it begins.
 *
 * @throws ApplicationFailure when the backup was marked as failed in the meantime; otherwise the errors of the database
 *   and the store.
 */
export async function makeBackup(
  deps: BackupDeps,
  id: string,
  signal: AbortSignal,
  progress: (details: Record<string, number | string>) => void,
): Promise<MaintenanceCounts> {
  const { database, store, log } = deps;
  if (!store) throw new Error('a worker without a place for backups takes their queue');
  // Retried here, because the tries of the activity together last less than two minutes of an outage.
  const running = await untilWritten(() => backupIsAlive(database, id, null), {
    signal,
    onFailure: (error) => log.warn({ err: error, backup_id: id }, 'backup not begun yet, retrying'),
  });
  const already = running ? null : await madeOrGivenUp(database, id);
  const made = already ?? (await make({ ...deps, store }, id, signal, progress));
  const tidied = await tidyBackups({ ...deps, store }, { keep: deps.keep, latest: id }).catch((error: unknown) => {
    // The backup itself is complete, and the next one tidies the store again.
    log.warn({ err: error, place: store.place }, 'backup store not tidied');
    return {};
  });
  return { size_bytes: made.sizeBytes, rows: made.rows, ...tidied };
}

async function make(
  deps: BackupDeps & { store: BackupStore },
  id: string,
  signal: AbortSignal,
  progress: (details: Record<string, number | string>) => void,
): Promise<MadeBackup> {
  const { database, store, log } = deps;
  const givenUp = new AbortController();
  let latest: BackupProgress | null = null;
  const onProgress = (now: BackupProgress) => {
    latest = now;
    progress({ ...now });
  };
  const saying = setInterval(() => {
    backupIsAlive(database, id, latest).then(
      (mine) => mine || givenUp.abort(givenUpFailure()),
      // The next heartbeat may succeed. Without one for two minutes, the backup counts as failed.
      (error: unknown) => log.warn({ err: error, backup_id: id }, 'backup heartbeat not recorded'),
    );
  }, aliveMs);
  const ended = AbortSignal.any([signal, givenUp.signal]);
  try {
    const made = await writeBackup(deps, { id, signal: ended, onProgress }).catch((error: unknown) => {
      throw givenUp.signal.aborted && !signal.aborted ? givenUpFailure() : error;
    });
    // `givenUp` does not end it: a heartbeat finds no running backup either when the answer of this completion is lost.
    const mine = await untilWritten(() => completeBackup(database, id, made), {
      signal,
      onFailure: (error) => log.warn({ err: error, backup_id: id }, 'backup not recorded yet, retrying'),
    });
    if (mine) {
      const { name, sizeBytes, rows, durationMs } = made;
      log.info({ backup_id: id, name, sizeBytes, rows, durationMs }, 'backup completed');
      return made;
    }
    // An earlier try has completed this backup, or another worker has. Retried, because tidying may hold the lock for longer
    // than a statement may wait.
    const other = await untilWritten(() => deleteUnlessCompleted({ database, store }, { id, name: made.name }), {
      signal,
      onFailure: (error) => log.warn({ err: error, backup_id: id }, 'backup file not deleted yet, retrying'),
    });
    if (other) return other;
    throw givenUpFailure();
  } finally {
    clearInterval(saying);
  }
}

async function madeOrGivenUp(database: Database, id: string): Promise<MadeBackup> {
  const made = await readCompletedBackup(database, id);
  if (!made) throw givenUpFailure();
  return made;
}

const givenUpFailure = () =>
  ApplicationFailure.nonRetryable('the backup failed: its worker sent no heartbeat for two minutes', 'GivenUp');
