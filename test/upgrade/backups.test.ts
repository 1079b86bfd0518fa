import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { laterMigrations } from '../../src/database/migrations.ts';
import { createLog } from '../../src/shared/log.ts';
import { backUp, folderStore, neverAborted, restore, testKeyring } from '../backups/support.ts';
import { ownFolder } from '../faults/ground.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { queryOnce } from '../support/one-connection.ts';
import { checkOutReleaseBefore } from './release-before.ts';

const log = createLog('silent');
const later = laterMigrations.map(({ name }) => name).sort();
const { folder, remove } = ownFolder('gateway-upgrade-');
afterAll(remove);

let before: {
  migrateOnce: typeof import('../../src/database/migrate.ts')['migrateOnce'];
  writeBackup: typeof import('../../src/backups/write-backup.ts')['writeBackup'];
  restoreArchive: typeof import('../../src/backups/restore.ts')['restoreArchive'];
  verifyArchive: typeof import('../../src/backups/verify-archive.ts')['verifyArchive'];
};
beforeAll(async () => {
  const checkout = checkOutReleaseBefore(folder);
  const load = (file: string) => import(pathToFileURL(join(checkout, 'src', file)).href);
  before = {
    ...(await load('database/migrate.ts')),
    ...(await load('backups/write-backup.ts')),
    ...(await load('backups/restore.ts')),
    ...(await load('backups/verify-archive.ts')),
  };
});

const setting = (url: string) => queryOnce(url, `insert into gateway_settings (key, value) values ('kept', '"yes"')`);
const kept = (url: string) => queryOnce(url, `select value from gateway_settings where key = 'kept'`);

function backUpBefore(url: string, store: ReturnType<typeof folderStore>) {
  const id = '01890000-0000-7000-8000-000000000001';
  return before.writeBackup(
    { database: { url }, store, keyring: testKeyring, encrypt: true, log },
    { id, signal: neverAborted, onProgress: () => undefined },
  );
}

test('a backup of the release before is restored', async () => {
  const [from, into, store] = [await freshDatabase(), await freshDatabase(), folderStore()];
  await before.migrateOnce(from, log);
  await setting(from);
  const { name } = await backUpBefore(from, store);
  const { migrated } = await restore(into, store, name);
  expect(migrated.sort()).toEqual(later);
  expect(await kept(into)).toHaveLength(1);
}, 60_000);

test('so is a backup that the release before made on the schema of this one', async () => {
  const [from, into, store] = [await migratedDatabase(), await freshDatabase(), folderStore()];
  await setting(from);
  const { name } = await backUpBefore(from, store);
  const { migrated, skipped } = await restore(into, store, name);
  // Its rows have the columns of these migrations, so they were applied before.
  expect({ migrated, skipped }).toEqual({ migrated: [], skipped: [] });
  expect(await kept(into)).toHaveLength(1);
  const names = await queryOnce<{ name: string }>(into, 'select name from applied_migrations order by name');
  expect(names.map((row) => row.name)).toEqual(later);
}, 60_000);

test('a backup that the release before made on the schema of a later release is refused', async () => {
  const [from, into, store] = [await migratedDatabase(), await freshDatabase(), folderStore()];
  await queryOnce(
    from,
    `insert into applied_migrations (name, kind, applied_by, oldest_release) values ('Migration20990101000000_later', 'expand', '9.0.0', '0.2.0')`,
  );
  const { name } = await backUpBefore(from, store);
  await expect(restore(into, store, name)).rejects.toThrow(
    /newer gateway.*does not know Migration20990101000000_later.*Nothing was written/,
  );
}, 60_000);

test('the release before refuses a backup of this one', async () => {
  const [from, into, store] = [await migratedDatabase(), await freshDatabase(), folderStore()];
  const { name } = await backUp(from, store);
  const source = { name, open: () => store.read(name) };
  const { manifest } = await before.verifyArchive(source, { keyring: testKeyring });
  expect(manifest.migrations).toEqual(['Migration20261123000000_schema', ...later]);
  const restoring = { url: into, keyring: testKeyring, log, onProgress: () => undefined };
  await expect(before.restoreArchive(restoring, source, manifest)).rejects.toThrow(
    /was made by a newer gateway.*does not know Migration.*Nothing was written/,
  );
}, 60_000);
