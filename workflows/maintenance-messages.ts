// What travels through Temporal: names and numbers. Fields may be added here, never renamed or removed.

/** What a run of maintenance is to do. */
export type MaintenanceInput =
  /** `backupId`: its row is there already; absent: the run makes it, unless another backup is under way. */
  | { task: 'backup'; backupId?: string }
  | { task: 'audit-purge'; olderThanDays: number }
  /** `olderThanDays`: null keeps all events. */
  | { task: 'retention'; olderThanDays: number | null }
  | { task: 'sweep' };

/** Numbers of what was done; names as the admin API shows them. */
export type MaintenanceCounts = Record<string, number>;

export interface MaintenanceResult {
  /** `skipped`: another one is at it. */
  outcome: 'completed' | 'skipped';
  backupId?: string;
  counts: MaintenanceCounts;
}

/** Null: another backup is under way. */
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
