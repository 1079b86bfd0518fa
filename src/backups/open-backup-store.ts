import type { Log } from '../shared/log.ts';
import { BackupError } from './backup-error.ts';
import type { BackupSettings, BackupStore } from './backup-store.ts';
import { openDirectoryStore } from './directory-store.ts';

/** The place of backups for operators; null when none is set. */
export const backupPlace = ({ dir, url }: BackupSettings): string | null => url ?? dir;

/**
 * Creates the store for the settings without connecting to it. The S3 client is loaded only for a bucket, because it
 * takes 0.1 s of CPU time.
 *
 * @throws BackupError when no place is set.
 */
export async function openBackupStore(settings: BackupSettings, log: Pick<Log, 'warn'>): Promise<BackupStore> {
  if (settings.url !== null) return (await import('./s3-store.ts')).openS3Store(settings.url, log);
  if (settings.dir !== null) return openDirectoryStore(settings.dir, log);
  throw new BackupError('There is no place for backups: set BACKUP_DIR to a folder, or BACKUP_URL to an S3 bucket.');
}
