import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { BackupError } from '../backups/backup-error.ts';
import { backupPlace, openBackupStore } from '../backups/open-backup-store.ts';
import type { ArchiveSource } from '../backups/verify-archive.ts';
import { StartError } from '../shared/start-error.ts';
import type { RoleContext } from './role-context.ts';

/** The arguments of a command about one backup. */
export interface GivenBackup {
  /** A path, or the name of a backup in the store. */
  file: string;
  /** The value of the option that says where the backup goes; null if it is absent. */
  target: string | null;
  allowUnverified: boolean;
}

/**
 * Reads the arguments of a command about one backup.
 *
 * @param option the name of the option that says where the backup goes.
 * @throws StartError with the usage.
 */
export function givenBackup(args: string[], option: string, usage: string): GivenBackup {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { [option]: { type: 'string' }, unverified: { type: 'boolean' } },
    });
    const [file] = positionals;
    const { [option]: target, unverified } = values;
    if (file !== undefined && positionals.length === 1)
      return { file, target: typeof target === 'string' ? target : null, allowUnverified: unverified === true };
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : ''}\n\n${usage}`);
  }
  throw new StartError(usage);
}

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
