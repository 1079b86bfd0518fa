import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '../database/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import type { BackupStore } from './backup-store.ts';
import { readCatalogue, type UnverifiedFile, type VerifiedFile } from './read-catalogue.ts';

/** The most foreign files that get a row. The list shows 1,000 rows, so foreign files cannot displace the backups. */
const maxForeignRows = 100;
/** The most file names in a log line. */
const maxLogged = 5;

// An own backup whose file was changed in the store still has its SHA-256; rows of foreign files have none.
const known = {
  name: 'known_backups',
  text: `select name, status from backups where status = 'completed' or (status = 'unverified' and sha256 is not null)`,
};
const lose = {
  name: 'lost_backups',
  text: `
    update backups set status = 'failed', error = $2, alive_at = now()
    where name = any($1::text[]) and id <> $3 and status in ('completed', 'unverified')
    returning id`,
};
const findAgain = {
  name: 'found_backup_again',
  text: `
    update backups set status = 'completed', name = $1, error = null, size_bytes = $3, rows = $4, encrypted = $5, key_id = $6
    where id = (
      select id from backups where status in ('failed', 'unverified') and (name = $1 or id = $2)
      order by name is distinct from $1 limit 1
    )
    returning id`,
};
// The file of a backup that is just being completed already has a row.
const add = {
  name: 'add_found_backup',
  text: `
    insert into backups (id, status, name, size_bytes, rows, encrypted, key_id, created_at)
    select $1, 'completed', $2, $4, $5, $6, $7, $8 where not exists (select from backups where id = $3 or name = $2)
    returning id`,
};
const distrust = {
  name: 'distrust_backup',
  text: `
    update backups set status = 'unverified', error = $2, size_bytes = $3, alive_at = now()
    where name = $1 and status <> 'running' returning id`,
};
// Without a creation time: the content of an unverified file cannot be trusted.
const addUnverified = {
  name: 'add_unverified_file',
  text: `insert into backups (id, status, name, error, size_bytes) values ($1, 'unverified', $2, $3, $4)`,
};
const forgetUnverified = {
  name: 'forget_unverified_files',
  text: `delete from backups where status = 'unverified' and name <> all($1::text[])`,
};

/** The numbers of changed rows. */
export interface Reconciled {
  /** Backups whose files are gone. */
  lost: number;
  /** Genuine files that had no row. */
  found: number;
  /** Files without a valid signature. */
  unverified: number;
}

/**
 * Updates the rows of backups to match the files in the store. A completed backup needs a file with a valid signature.
 * A file without one is listed as `unverified`, even if its row said `completed`. A genuine file without a row gets
 * one, with the time of its manifest.
 *
 * @param latest the backup that was just made; it counts as present even if the store's list does not have it yet.
 */
export async function reconcileBackups(
  sql: Sql,
  { store, keyring, log }: { store: BackupStore; keyring: Keyring; log: Log },
  latest: string,
): Promise<Reconciled> {
  // Reads the rows first: the file of a backup that is completed later may be missing in the list of files.
  const rows = await sql.query<{ name: string; status: string }>(known, []);
  const listed = new Set(rows.map(({ name }) => name));
  const completed = new Set(rows.flatMap(({ name, status }) => (status === 'completed' ? [name] : [])));
  const { verified, unverified, unexamined } = await readCatalogue(store, keyring, listed);
  const present = new Set([...verified, ...unverified].map(({ name }) => name));
  const lostRows = await sql.query(lose, [
    [...listed].filter((name) => !present.has(name)),
    `its file is gone from ${store.place}, or cannot be read`,
    latest,
  ]);
  let found = 0;
  for (const file of verified) if (!completed.has(file.name)) found += await listVerified(sql, file);
  await listUnverified(sql, unverified, listed);
  if (unverified.length + unexamined > 0)
    log.warn(
      {
        place: store.place,
        unverified: unverified.length,
        unexamined,
        names: unverified.slice(0, maxLogged).map(({ name }) => name),
      },
      'files among the backups have no valid signature',
    );
  return { lost: lostRows.length, found, unverified: unverified.length };
}

async function listVerified(sql: Sql, { name, sizeBytes, manifest }: VerifiedFile): Promise<number> {
  const { id, rows, encrypted, key_id, created_at } = manifest;
  const again = await sql.query(findAgain, [name, id, sizeBytes, rows, encrypted, key_id]);
  if (again.length > 0) return again.length;
  return (await sql.query(add, [uuidv7(), name, id, sizeBytes, rows, encrypted, key_id, created_at])).length;
}

/** Lists files that were backups before without a limit, and other files up to `maxForeignRows`. */
async function listUnverified(sql: Sql, files: UnverifiedFile[], listed: ReadonlySet<string>): Promise<void> {
  const own = files.filter(({ name }) => listed.has(name));
  const foreign = files.filter(({ name }) => !listed.has(name)).slice(0, maxForeignRows);
  for (const { name, why, sizeBytes } of [...own, ...foreign]) {
    const changed = await sql.query(distrust, [name, why, sizeBytes]);
    if (changed.length === 0) await sql.query(addUnverified, [uuidv7(), name, why, sizeBytes]);
  }
  await sql.query(forgetUnverified, [[...own, ...foreign].map(({ name }) => name)]);
}
