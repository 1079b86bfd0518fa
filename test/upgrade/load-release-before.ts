import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import { ownFolder } from '../faults/ground.ts';
import { useForAll } from '../support/use.ts';
import { checkOutReleaseBefore } from './release-before.ts';

/** The code of the release before, in this process. */
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

/** Checks the release before out into `folder`, and loads what tests call of it. */
async function loadReleaseBefore(folder: string): Promise<ReleaseBefore> {
  const checkout = checkOutReleaseBefore(folder);
  const modules = files.map((file) => import(pathToFileURL(join(checkout, 'src', file)).href));
  return Object.assign({}, ...(await Promise.all(modules)));
}

/** The same for all tests of a file. */
export function useReleaseBefore(): ReleaseBefore {
  const { folder, remove } = ownFolder('gateway-upgrade-');
  afterAll(remove);
  return useForAll(() => loadReleaseBefore(folder));
}
