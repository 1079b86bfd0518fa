import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import { oldestUpgrade } from '../../src/database/applied-migrations.ts';
import { ownFolder } from '../faults/ground.ts';
import { useForAll } from '../support/use.ts';
import { checkOut, checkOutReleaseBefore } from './release-before.ts';

/** What tests call of the release before, in this process. */
interface ReleaseBefore {
  migrateOnce: typeof import('../../src/database/migrate.ts')['migrateOnce'];
  connectDatabase: typeof import('../../src/database/database.ts')['connectDatabase'];
  checkSchema: typeof import('../../src/database/schema-check.ts')['checkSchema'];
  writeBackup: typeof import('../../src/backups/write-backup.ts')['writeBackup'];
  restoreArchive: typeof import('../../src/backups/restore.ts')['restoreArchive'];
  verifyArchive: typeof import('../../src/backups/verify-archive.ts')['verifyArchive'];
}

const files = [
  ...['database/migrate.ts', 'database/database.ts', 'database/schema-check.ts'],
  ...['backups/write-backup.ts', 'backups/restore.ts', 'backups/verify-archive.ts'],
];

/** What the files of a checkout export, in one object. */
async function load(checkout: string, files: readonly string[]) {
  const modules = files.map((file) => import(pathToFileURL(join(checkout, 'src', file)).href));
  return Object.assign({}, ...(await Promise.all(modules)));
}

function useCheckout<Exports extends object>(open: (folder: string) => Promise<Exports>): Exports {
  const { folder, remove } = ownFolder('gateway-upgrade-');
  afterAll(remove);
  return useForAll(() => open(folder));
}

/** The code of the release before, for all tests of a file. */
export const useReleaseBefore = () =>
  useCheckout<ReleaseBefore>((folder) => load(checkOutReleaseBefore(folder), files));

/** The code of the oldest commit from which this version upgrades, for all tests of a file. */
export const useOldestUpgrade = () =>
  useCheckout<Pick<ReleaseBefore, 'migrateOnce' | 'writeBackup'>>((folder) => {
    const checkout = join(folder, 'oldest-upgrade');
    checkOut(oldestUpgrade, checkout);
    return load(checkout, ['database/migrate.ts', 'backups/write-backup.ts']);
  });
