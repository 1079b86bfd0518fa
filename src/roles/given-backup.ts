import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { BackupError } from '../backups/backup-error.ts';
import { backupPlace, openBackupStore } from '../backups/open-backup-store.ts';
import type { ArchiveSource } from '../backups/verify-archive.ts';
import type { RoleContext } from './role-context.ts';

/** The file at this path; if there is none, the backup of this name in the store. */
export async function sourceOf(file: string, { config, log }: RoleContext): Promise<ArchiveSource> {
  if (existsSync(file)) return { name: file, open: async () => (await open(file)).createReadStream() };
  if (backupPlace(config.maintenance.backup) === null)
    throw new BackupError(`There is no file ${file}, and neither BACKUP_DIR nor BACKUP_URL says where else to look.`);
  const store = await openBackupStore(config.maintenance.backup, log);
  return { name: file, open: () => store.read(file) };
}

/** The warning for an operator who uses a file without a valid signature. */
export const warningOf = (name: string, why: string) =>
  `WARNING: ${name} is unverified: ${why}. It may not be what a gateway wrote.`;
