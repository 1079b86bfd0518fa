import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { idOfArchive } from '../../src/backups/archive-name.ts';
import { listBackups } from '../../src/backups/backup-rows.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { migratedDatabase } from '../support/database.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { backUp, verifiedIn } from './support.ts';

export const log = createLog('silent');

/** A migrated database and an empty folder for backups. */
export async function place() {
  const url = await migratedDatabase();
  const database = await openDatabase({ url, log });
  onTestFinished(() => database.close());
  return { database, store: openDirectoryStore(join(folderForTest(), 'backups')) };
}

/** Creates backups in the folder, each with its row, oldest first. */
export async function made(database: Database, store: BackupStore, count: number) {
  const backups: { id: string; name: string }[] = [];
  for (let n = 0; n < count; n++) {
    const { name, sizeBytes } = await backUp(database.url, store);
    const id = idOfArchive(name) as string;
    await database.pool.query(`insert into backups (id, status, name, size_bytes) values ($1, 'completed', $2, $3)`, [
      ...[id, name, sizeBytes],
    ]);
    backups.push({ id, name });
  }
  return backups;
}

export const named = async (database: Database) =>
  (await listBackups(database)).map(({ name, status }) => ({ name, status }));
export const completed = (backups: { name: string }[]) =>
  backups.map(({ name }) => ({ name, status: 'completed' })).reverse();
export const stored = async (store: BackupStore) => (await verifiedIn(store)).map(({ name }) => name);

/** A store that calls `act` before it deletes a file. */
export const beforeDeletion = (store: BackupStore, act: () => Promise<void> | void): BackupStore => ({
  ...store,
  async delete(name) {
    await act();
    await store.delete(name);
  },
});
