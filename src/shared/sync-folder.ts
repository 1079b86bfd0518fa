import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Makes what was renamed or made in a folder survive a power failure: a file system may write the new name to the disk half a
 * minute later otherwise. On one that cannot synchronize folders, this does nothing.
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    throwUnlessImpossible(error);
  } finally {
    await handle.close();
  }
}

/** As `syncFolder`, for what is written before a process has begun its work. */
export function syncFolderNow(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    throwUnlessImpossible(error);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Some file systems, such as shared folders of virtual machines, answer EINVAL to `fsync` of any folder (fsync(2)). The
 * gateway could never start there. PostgreSQL ignores this answer as well (`fsync_fname_ext`).
 */
function throwUnlessImpossible(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EINVAL')) throw error;
}
