import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { syncFolder, syncFolderNow } from '../../src/shared/sync-folder.ts';
import { folderForTest } from '../support/folder-for-test.ts';

describe.each([
  ['syncFolder', syncFolder],
  ['syncFolderNow', async (folder: string) => syncFolderNow(folder)],
])('%s', (_, sync) => {
  test.each([
    ['that can', () => folderForTest()],
    // Linux answers EINVAL.
    ['that cannot', () => '/proc'],
  ])('accepts a folder of a file system %s synchronize folders', async (_, folder) => {
    await expect(sync(folder())).resolves.toBeUndefined();
  });

  test('fails for a folder that does not exist', async () => {
    await expect(sync(join(folderForTest(), 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
