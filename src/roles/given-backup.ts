import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { BackupError } from '../backups/backup-error.ts';
import { openBackupStore } from '../backups/open-backup-store.ts';
import type { ArchiveSource } from '../backups/verify-archive.ts';
import { existingSecret } from '../embedded/data-dir.ts';
import { createKeyring, type Keyring } from '../secrets/keyring.ts';
import type { RoleContext } from './role-context.ts';

/** The file of that path; else the backup of that name where backups are kept. */
export function sourceOf(file: string, { config, log }: RoleContext): ArchiveSource {
  if (existsSync(file)) return { name: file, open: async () => (await open(file)).createReadStream() };
  if (config.upkeep.backup.dir === null && config.upkeep.backup.url === null)
    throw new BackupError(`There is no file ${file}, and neither BACKUP_DIR nor BACKUP_URL says where else to look.`);
  const store = openBackupStore(config.upkeep.backup, log);
  return { name: file, open: () => store.read(file) };
}

/** The keys for a backup: those that are set; else the one that `npm start` keeps in DATA_DIR. Null: there is none. */
export function keyringFor({ config }: RoleContext): Keyring | null {
  if (config.secretsKey !== null) return createKeyring(config.secretsKey, config.secretsKeyPrevious);
  const kept = existingSecret(config.dataDir, 'secrets-key');
  if (kept === null) return null;
  const key = Buffer.from(kept, 'base64');
  if (key.length === 32) return createKeyring(key, config.secretsKeyPrevious);
  throw new BackupError(`The file secrets/secrets-key in ${config.dataDir} does not hold a key of 32 bytes in base64.`);
}

/** What a file without a valid signature means for the person who goes on with it. */
export const warningOf = (name: string, why: string) =>
  `WARNING: ${name} is unverified: ${why}. It may not be what a gateway wrote.`;
