import type { BackupSettings } from '../backups/backup-store.ts';

/** What the upkeep does beside what it always does. */
export interface UpkeepSettings {
  /** Neither folder nor URL: no backups are scheduled. */
  backup: BackupSettings & {
    /** How many stay. */
    keep: number;
    /** False leaves them readable for everyone who gets them. */
    encrypt: boolean;
  };
  auditRetentionDays: number;
  /** Null keeps all events. */
  eventRetentionDays: number | null;
}
