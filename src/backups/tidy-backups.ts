import { lockKeys } from '../database/lock-keys.ts';
import type { Sql, Transactions } from '../database/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import { readCompletedBackup } from './backup-rows.ts';
import type { BackupStore } from './backup-store.ts';
import { type Reconciled, reconcileBackups } from './reconcile-backups.ts';
import type { MadeBackup } from './write-backup.ts';

// A remote store may take longer than the half a minute for which a transaction may usually be idle.
const patience = {
  name: 'tidy_patiently',
  text: `select set_config('idle_in_transaction_session_timeout', '10min', true)`,
};
const lock = { name: 'lock_backups', text: 'select pg_advisory_xact_lock($1)' };
// A backup dated in the future by a wrong clock would be the newest for a long time. It neither counts nor is deleted.
const surplus = {
  name: 'surplus_backups',
  text: `
    select id, name from backups where status = 'completed' and id <> $2 and created_at < now() + interval '1 hour'
    order by created_at desc, id desc offset $1`,
};
const forget = { name: 'forget_backups', text: 'delete from backups where id = any($1::uuid[])' };
const forgetFailed = {
  name: 'forget_failed_backups',
  text: `delete from backups where status = 'failed' and alive_at < now() - interval '30 days'`,
};
// Failed backups older than all kept ones. Their files were probably pruned by a process that was killed before its
// commit.
const forgetLost = {
  name: 'forget_lost_backups',
  text: `
    delete from backups where status = 'failed' and name is not null and created_at < (
      select min(created_at) from backups where status = 'completed' having count(*) >= $1
    )`,
};

/** The numbers of rows that tidying has changed. */
export interface Tidied extends Reconciled {
  /** Backups beyond `keep`, whose files were deleted. */
  pruned: number;
}

/**
 * Updates the rows to match the store, and deletes the oldest completed backups beyond `keep`. Only files with a valid
 * signature count and are deleted, ordered by the times in their manifests or rows. So files of others in the store
 * cannot displace a backup. A backup whose file is gone is marked as failed. Rows of failed backups are deleted after
 * 30 days.
 *
 * All changes commit together. A lock serializes concurrent calls: otherwise each would report the other's deletions as
 * lost backups.
 *
 * @param latest the backup that was just made. It is kept and counts, even if the store's list does not have it yet.
 */
export function tidyBackups(
  { database, store, keyring, log }: { database: Transactions; store: BackupStore; keyring: Keyring; log: Log },
  { keep, latest }: { keep: number; latest: string },
): Promise<Tidied> {
  return whileStoreIsLocked(database, async (sql) => {
    const changed = await reconcileBackups(sql, { store, keyring, log }, latest);
    return { ...changed, pruned: await prune(sql, store, keep, latest) };
  });
}

/**
 * Deletes the file that a worker has written for a backup that it could not complete, unless the backup is completed with
 * this file.
 *
 * It waits for concurrent tidying, which completes a failed backup whose file it finds. Without the lock, the file would
 * be deleted after it was found and before that commit: a completed backup without a file.
 *
 * @returns the completed backup with this id; null when there is none.
 */
export function deleteUnlessCompleted(
  { database, store }: { database: Transactions; store: BackupStore },
  { id, name }: { id: string; name: string },
): Promise<MadeBackup | null> {
  return whileStoreIsLocked(database, async (sql) => {
    const completed = await readCompletedBackup(sql, id);
    if (completed?.name !== name) await store.delete(name);
    return completed;
  });
}

/** Runs `work` in a transaction, while no other process compares rows with files or deletes files. */
function whileStoreIsLocked<T>(database: Transactions, work: (sql: Sql) => Promise<T>): Promise<T> {
  return database.transaction(async (sql) => {
    await sql.query(patience, []);
    await sql.query(lock, [lockKeys.backups]);
    return work(sql);
  });
}

async function prune(sql: Sql, store: BackupStore, keep: number, latest: string): Promise<number> {
  const old = await sql.query<{ id: string; name: string }>(surplus, [keep - 1, latest]);
  // Deletes the files before the commit: a file without a row would be listed again as found.
  for (const { name } of old) await store.delete(name);
  await sql.query(forget, [old.map(({ id }) => id)]);
  await sql.query(forgetFailed, []);
  await sql.query(forgetLost, [keep]);
  return old.length;
}
