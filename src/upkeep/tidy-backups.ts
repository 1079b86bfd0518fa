import { v7 as uuidv7 } from 'uuid';
import type { BackupStore } from '../backups/backup-store.ts';
import type { Sql } from '../database/database.ts';

const lost = {
  name: 'lost_backups',
  text: `
    update backups set status = 'failed', error = $2, alive_at = now()
    where status = 'completed' and name <> all($1::text[]) and id <> $3 returning id`,
};
const found = {
  name: 'found_backup_again',
  text: `
    update backups set status = 'completed', error = null, size_bytes = $2
    where name = $1 and status = 'failed' returning id`,
};
const known = { name: 'known_backups', text: `select name from backups where status = 'completed'` };
const add = {
  name: 'add_found_backup',
  text: `
    insert into backups (id, status, name, size_bytes, created_at)
    values ($1, 'completed', $2, $3, $4)`,
};
const surplus = {
  name: 'surplus_backups',
  text: `
    select id, name from backups where status = 'completed' and id <> $2
    order by created_at desc, id desc offset $1`,
};
const forget = { name: 'forget_backup', text: 'delete from backups where id = $1' };
const forgetFailed = {
  name: 'forget_failed_backups',
  text: `delete from backups where status = 'failed' and alive_at < now() - interval '30 days' returning id`,
};

/**
 * Makes the rows say what the store holds: whose file is gone has failed; a file that no row knows, as after a restore,
 * gets one.
 *
 * @param latest the backup that was just made, which is there whatever the store's list says.
 */
export async function reconcileBackups(
  sql: Sql,
  store: BackupStore,
  latest: string,
): Promise<{ lost: number; found: number }> {
  const files = await store.list();
  const names = files.map(({ name }) => name);
  const gone = await sql.query(lost, [names, `its file is gone from ${store.place}, or cannot be read`, latest]);
  const rows = await sql.query<{ name: string }>(known, []);
  const listed = new Set(rows.map(({ name }) => name));
  const unknown = files.filter(({ name }) => !listed.has(name));
  for (const { name, sizeBytes, createdAt } of unknown) {
    const again = await sql.query(found, [name, sizeBytes]);
    if (again.length === 0) await sql.query(add, [uuidv7(), name, sizeBytes, createdAt]);
  }
  return { lost: gone.length, found: unknown.length };
}

/**
 * Deletes the oldest completed backups beyond `keep`, files first, and the rows of those that failed 30 days ago.
 *
 * @param latest the backup that was just made; it stays, and counts.
 */
export async function pruneBackups(
  sql: Sql,
  store: BackupStore,
  { keep, latest }: { keep: number; latest: string },
): Promise<number> {
  const old = await sql.query<{ id: string; name: string }>(surplus, [keep - 1, latest]);
  for (const { id, name } of old) {
    await store.delete(name);
    await sql.query(forget, [id]);
  }
  await sql.query(forgetFailed, []);
  return old.length;
}
