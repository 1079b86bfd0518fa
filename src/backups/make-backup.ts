import { ApplicationFailure } from '@temporalio/common';
import type { MaintenanceCounts } from '../../workflows/maintenance-messages.ts';
import type { Database } from '../database/database.ts';
import { untilWritten } from '../database/until-written.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import { backupIsAlive, completeBackup, type MadeBackup, readCompletedBackup } from './backup-rows.ts';
import type { BackupStore } from './backup-store.ts';
import { tidyBackups } from './tidy-backups.ts';
import { writeBackup } from './write-backup.ts';

/** A twelfth of the silence after which a backup counts as failed. */
const aliveMs = 10_000;

export interface BackupDeps {
  database: Database;
  /** Null: this worker has no place for backups. */
  store: BackupStore | null;
  /** How many completed ones stay. */
  keep: number;
  keyring: Keyring;
  /** As BACKUP_ENCRYPT. */
  encrypt: boolean;
  log: Log;
}

/**
 * Makes the backup of this row, and tidies the store afterwards. Called again after a worker died, it begins anew.
 *
 * @throws ApplicationFailure when it is given up meanwhile; whatever the database and the store throw.
 */
export async function makeBackup(
  deps: BackupDeps,
  id: string,
  signal: AbortSignal,
  progress: (details: Record<string, number | string>) => void,
): Promise<MaintenanceCounts> {
  const { database, store, log } = deps;
  // Another worker may have one.
  if (!store)
    throw ApplicationFailure.create({
      type: 'NoPlace',
      message: 'this worker has no place for backups: set BACKUP_DIR or BACKUP_URL',
      nextRetryDelay: '1s',
    });
  const already = (await backupIsAlive(database, id)) ? null : await madeOrGivenUp(database, id);
  const made = already ?? (await make({ ...deps, store }, id, signal, progress));
  const tidied = await tidyBackups({ ...deps, store }, { keep: deps.keep, latest: id }).catch((error: unknown) => {
    // The backup itself is there, and the next one tidies as well.
    log.warn({ err: error, place: store.place }, 'the store of backups could not be tidied');
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
  const saying = setInterval(() => {
    backupIsAlive(database, id).then(
      (mine) => mine || givenUp.abort(givenUpFailure()),
      // The next one may get through; two minutes without any end it.
      (error: unknown) => log.warn({ err: error, backup_id: id }, 'the database does not take that a backup goes on'),
    );
  }, aliveMs);
  const ended = AbortSignal.any([signal, givenUp.signal]);
  try {
    const made = await writeBackup(deps, { id, signal: ended, onProgress: progress });
    const mine = await untilWritten(() => completeBackup(database, id, made), {
      signal: ended,
      onFailure: (error) => log.warn({ err: error, backup_id: id }, 'a backup could not be written down yet'),
    });
    if (mine) {
      const { name, sizeBytes, rows, durationMs } = made;
      log.info({ backup_id: id, name, sizeBytes, rows, durationMs }, 'a backup is complete');
      return made;
    }
    // Somebody else was told to make it. Its file may have the same name, and then belongs to the other.
    const other = await readCompletedBackup(database, id);
    if (other?.name !== made.name) await store.delete(made.name);
    if (other) return other;
    throw givenUpFailure();
  } catch (error) {
    if (givenUp.signal.aborted && !signal.aborted) throw givenUpFailure();
    throw error;
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
  ApplicationFailure.nonRetryable('the backup was given up: nobody had worked on it for two minutes', 'GivenUp');
