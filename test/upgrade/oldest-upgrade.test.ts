import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { squashed } from '../../src/database/applied-migrations.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { firstMigration, migrations } from '../../src/database/migrations.ts';
import { createLog } from '../../src/shared/log.ts';
import { folderStore, neverAborted, restore, testKeyring } from '../backups/support.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { queryOnce } from '../support/one-connection.ts';
import { schemaDump } from './dump.ts';
import { useOldestUpgrade } from './load-release-before.ts';

const log = createLog('silent');
const oldest = useOldestUpgrade();
const later = migrations.filter((each) => each !== firstMigration).map(({ name }) => name);

/** A database of the oldest commit, with a setting. */
async function oldDatabase(): Promise<string> {
  const url = await freshDatabase();
  const { migrations: applied } = await oldest.migrateOnce(url, log);
  expect(applied.toSorted()).toEqual([firstMigration.name, ...squashed].toSorted());
  await queryOnce(url, `insert into gateway_settings (key, value) values ('kept', 'yes')`);
  return url;
}

/** Fails unless a database has the schema of a new one, the same migrations in any order, and the setting. */
async function expectUpgraded(url: string): Promise<void> {
  const created = await migratedDatabase();
  expect(await schemaDump(url)).toEqual(await schemaDump(created));
  for (const list of [
    'select name from mikro_orm_migrations order by name',
    'select name, kind, applied_by, oldest_release from applied_migrations order by name',
  ])
    expect(await queryOnce(url, list)).toEqual(await queryOnce(created, list));
  expect(
    await queryOnce(url, `select convert_from(value, 'UTF8') as value from gateway_settings where key = 'kept'`),
  ).toEqual([{ value: 'yes' }]);
  expect(await migrateOnce(url, log)).toEqual({ migrations: [], functions: [] });
}

test('a database of the oldest commit counts as migrated, and its schema becomes that of a new one', async () => {
  const url = await oldDatabase();
  expect((await migrateOnce(url, log)).migrations).toEqual(later);
  await expectUpgraded(url);
});

test('a backup of the oldest commit is restored', async () => {
  const [from, into, store] = [await oldDatabase(), await freshDatabase(), folderStore()];
  const { name } = await oldest.writeBackup(
    { database: { url: from }, store, keyring: testKeyring, encrypt: true, log },
    { id: randomUUID(), signal: neverAborted, onProgress: () => undefined },
  );
  const { migrated, skipped } = await restore(into, store, name);
  // Indexes that are built concurrently come after the other changes.
  expect({ migrated: migrated.toSorted(), skipped }).toEqual({ migrated: later, skipped: [] });
  await expectUpgraded(into);
});
