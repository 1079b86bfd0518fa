import { v7 as uuidv7 } from 'uuid';
import { idOfArchive } from '../backups/archive-name.ts';
import type { BackupStore } from '../backups/backup-store.ts';
import type { Sql, Transactions } from '../database/database.ts';
import { lockKeys } from '../database/lock-keys.ts';

// A store far away is not answered in the half a minute that a transaction usually may stand still.
const patience = {
  name: 'tidy_patiently',
  text: `select set_config('idle_in_transaction_session_timeout', '10min', true)`,
};
const lock = { name: 'lock_backups', text: 'select pg_advisory_xact_lock($1)' };
const known = { name: 'known_backups', text: `select id, name from backups where status = 'completed'` };
const lose = {
  name: 'lost_backups',
  text: `
    update backups set status = 'failed', error = $2, alive_at = now()
    where id = any($1::uuid[]) and status = 'completed'`,
};
const findAgain = {
  name: 'found_backup_again',
  text: `
    update backups set status = 'completed', name = $1, error = null, size_bytes = $3
    where id = (
      select id from backups where status = 'failed' and (name = $1 or id = $2) order by name is null limit 1
    )
    returning id`,
};
// The file of a backup that is about to be complete is no stranger.
const add = {
  name: 'add_found_backup',
  text: `
    insert into backups (id, status, name, size_bytes, created_at)
    select $1, 'completed', $2, $3, $4 where not exists (select from backups where id = $5)
    returning id`,
};
const surplus = {
  name: 'surplus_backups',
  text: `
    select id, name from backups where status = 'completed' and id <> $2
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

/** What tidying has changed: rows. */
export interface Tidied {
  /** Their files are gone. */
  lost: number;
  /** Nobody knew their files. */
  found: number;
  /** There were newer ones enough. */
  pruned: number;
}

/**
 * Makes the rows say what the store holds, and deletes the oldest completed backups beyond `keep`. Whose file is gone has
 * failed; a file that no row knows, as after a restore, gets one; what failed 30 days ago is forgotten. The list shows all of
 * it at once, and one call waits for the other: else each would take the other's deletions for losses.
 *
 * @param latest the backup that was just made, which is there whatever the store's list says; it stays, and counts.
 */
export function tidyBackups(
  database: Transactions,
  store: BackupStore,
  { keep, latest }: { keep: number; latest: string },
): Promise<Tidied> {
  return database.transaction(async (sql) => {
    await sql.query(patience, []);
    await sql.query(lock, [lockKeys.backups]);
    const changed = await reconcile(sql, store, latest);
    return { ...changed, pruned: await prune(sql, store, keep, latest) };
  });
}

async function reconcile(sql: Sql, store: BackupStore, latest: string): Promise<{ lost: number; found: number }> {
  // Rows first: one that is completed while the files are listed may be missing among them.
  const rows = await sql.query<{ id: string; name: string }>(known, []);
  const files = await store.list();
  const stored = new Set(files.map(({ name }) => name));
  const lost = rows.filter(({ id, name }) => !stored.has(name) && id !== latest).map(({ id }) => id);
  await sql.query(lose, [lost, `its file is gone from ${store.place}, or cannot be read`]);
  const listed = new Set(rows.map(({ name }) => name));
  let found = 0;
  for (const { name, sizeBytes, createdAt } of files) {
    if (listed.has(name)) continue;
    const id = idOfArchive(name);
    const again = await sql.query(findAgain, [name, id, sizeBytes]);
    const row = again.length > 0 ? again : await sql.query(add, [uuidv7(), name, sizeBytes, createdAt, id]);
    found += row.length;
  }
  return { lost: lost.length, found };
}

async function prune(sql: Sql, store: BackupStore, keep: number, latest: string): Promise<number> {
  const old = await sql.query<{ id: string; name: string }>(surplus, [keep - 1, latest]);
  // Before the commit: a file whose row was gone would come back as one that is found.
  for (const { name } of old) await store.delete(name);
  await sql.query(forget, [old.map(({ id }) => id)]);
  await sql.query(forgetFailed, []);
  await sql.query(forgetLost, [keep]);
  return old.length;
}
