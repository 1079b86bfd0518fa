/** The settings of the maintenance tasks. */
export interface MaintenanceSettings {
  /** Without `dir` and `url`, no backups are scheduled. */
  backup: {
    /** Folder for backups. */
    dir: string | null;
    /** Bucket for backups; takes precedence over `dir`. */
    url: string | null;
    /** The number of backups to keep. */
    keep: number;
    /** False leaves backups readable for anyone with access to the files. */
    encrypt: boolean;
  };
  auditRetentionDays: number;
  /** Null keeps all events. */
  eventRetentionDays: number | null;
}
