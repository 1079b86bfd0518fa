// The data that passes through Temporal: names and numbers. Fields may be added here, but never renamed or removed.

/** The input of a maintenance run. */
export type MaintenanceInput =
  /** `backupId`: the backup's existing row. If absent, the run inserts a row, unless another backup is running. */
  | { task: 'backup'; backupId?: string }
  | { task: 'audit-purge'; olderThanDays: number }
  /** `olderThanDays`: null keeps all events. */
  | { task: 'retention'; olderThanDays: number | null }
  | { task: 'sweep' };

/** The counts of a run, with the names that the admin API shows. */
export type MaintenanceCounts = Record<string, number>;

export interface MaintenanceResult {
  /** `skipped`: another run is in progress. */
  outcome: 'completed' | 'skipped';
  backupId?: string;
  counts: MaintenanceCounts;
}

/** Null when another backup is running. */
type BegunBackup = { backupId: string } | null;

/** The maintenance activities, by name. */
export interface MaintenanceActivities {
  beginBackup(request: { workflowId: string }): Promise<BegunBackup>;
  makeBackup(request: { backupId: string }): Promise<MaintenanceCounts>;
  failBackup(request: { backupId: string; error: string }): Promise<void>;
  purgeAuditLog(request: { olderThanDays: number }): Promise<MaintenanceCounts>;
  retainEvents(request: { olderThanDays: number | null }): Promise<MaintenanceCounts>;
  sweepOverdue(): Promise<MaintenanceCounts>;
}
