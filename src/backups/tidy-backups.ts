import { lockKeys } from '../database/lock-keys.ts';
import type { Sql, Transactions } from '../database/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import type { BackupStore } from './backup-store.ts';
import { type Reconciled, reconcileBackups } from './reconcile-backups.ts';

// A store far away is not answered in the half a minute that a transaction usually may stand still.
const patience = {
  name: 'tidy_patiently',
  text: `select set_config('idle_in_transaction_session_timeout', '10min', true)`,
};
const lock = { name: 'lock_backups', text: 'select pg_advisory_xact_lock($1)' };
// A backup that a clock which was wrong dated in the future would count as the newest for long: it neither counts nor goes.
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
// As when a process was killed after it had pruned a file: that is no news.
const forgetLost = {
  name: 'forget_lost_backups',
  text: `
    delete from backups where status = 'failed' and name is not null and created_at < (
      select min(created_at) from backups where status = 'completed' having count(*) >= $1
    )`,
};

/** What tidying has changed, in rows. */
export interface Tidied extends Reconciled {
  /** There were newer ones enough, and their files were deleted. */
  pruned: number;
}

/**
 * Makes the rows say what the store holds, and deletes the oldest completed backups beyond `keep`. Only files with a valid
 * signature count, and only they are deleted, by the times that their manifests or the rows say: what others put into the store
 * pushes no backup out. A backup whose file is gone has failed; what failed 30 days ago is forgotten. The list shows all of it
 * at once, and one call waits for the other: else each would take the other's deletions for losses.
 *
 * @param latest the backup that was just made, which is there even when the store's list does not have it yet; it stays, and
 *   counts.
 */
export function tidyBackups(
  { database, store, keyring, log }: { database: Transactions; store: BackupStore; keyring: Keyring; log: Log },
  { keep, latest }: { keep: number; latest: string },
): Promise<Tidied> {
  return database.transaction(async (sql) => {
    await sql.query(patience, []);
    await sql.query(lock, [lockKeys.backups]);
    const changed = await reconcileBackups(sql, { store, keyring, log }, latest);
    return { ...changed, pruned: await prune(sql, store, keep, latest) };
  });
}

async function prune(sql: Sql, store: BackupStore, keep: number, latest: string): Promise<number> {
  const old = await sql.query<{ id: string; name: string }>(surplus, [keep - 1, latest]);
  // Before the commit: a file without a row would be found again.
  for (const { name } of old) await store.delete(name);
  await sql.query(forget, [old.map(({ id }) => id)]);
  await sql.query(forgetFailed, []);
  await sql.query(forgetLost, [keep]);
  return old.length;
}
