/** What maintenance does beside what it always does. */
export interface MaintenanceSettings {
  /** Neither folder nor URL: no backups are scheduled. */
  backup: {
    /** Folder for backups. */
    dir: string | null;
    /** Bucket for backups; counts before `dir`. */
    url: string | null;
    /** How many stay. */
    keep: number;
    /** False leaves them readable for everyone who gets them. */
    encrypt: boolean;
  };
  auditRetentionDays: number;
  /** Null keeps all events. */
  eventRetentionDays: number | null;
}
