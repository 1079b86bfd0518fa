import type { Log } from '../shared/log.ts';
import { BackupError } from './backup-error.ts';
import type { BackupSettings, BackupStore } from './backup-store.ts';
import { openDirectoryStore } from './directory-store.ts';
import { openS3Store } from './s3-store.ts';

/** The place of backups for operators; null when none is set. */
export const backupPlace = ({ dir, url }: BackupSettings): string | null => url ?? dir;

/** Creates the store for the settings without connecting to it. @throws BackupError when no place is set. */
export function openBackupStore(settings: BackupSettings, log: Pick<Log, 'warn'>): BackupStore {
  if (settings.url !== null) return openS3Store(settings.url, log);
  if (settings.dir !== null) return openDirectoryStore(settings.dir, log);
  throw new BackupError('There is no place for backups: set BACKUP_DIR to a folder, or BACKUP_URL to an S3 bucket.');
}
