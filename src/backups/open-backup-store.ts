import type { Log } from '../shared/log.ts';
import { BackupError } from './backup-error.ts';
import type { BackupSettings, BackupStore } from './backup-store.ts';
import { openDirectoryStore } from './directory-store.ts';
import { openS3Store } from './s3-store.ts';

/** Where backups go, for people; null when there is no place for them. */
export const backupPlace = ({ dir, url }: BackupSettings): string | null => url ?? dir;

/** @throws BackupError for settings that name no place. Nothing is opened or connected yet. */
export function openBackupStore(settings: BackupSettings, log: Pick<Log, 'warn'>): BackupStore {
  if (settings.url !== null) return openS3Store(settings.url, log);
  if (settings.dir !== null) return openDirectoryStore(settings.dir, log);
  throw new BackupError('There is no place for backups: set BACKUP_DIR to a folder, or BACKUP_URL to an S3 bucket.');
}
