// What travels through Temporal: names and numbers. Fields may be added here, never renamed or removed.

/** What a run of the upkeep is to do. */
export type UpkeepInput =
  /** `backupId`: its row is there already; absent: the run makes it, unless another backup is under way. */
  | { task: 'backup'; backupId?: string }
  | { task: 'audit-purge'; olderThanDays: number }
  /** `olderThanDays`: null keeps all events. */
  | { task: 'retention'; olderThanDays: number | null }
  | { task: 'sweep' };

/** Numbers of what was done; names as the admin API shows them. */
export type UpkeepCounts = Record<string, number>;

export interface UpkeepResult {
  /** `skipped`: another one is at it. */
  outcome: 'completed' | 'skipped';
  backupId?: string;
  counts: UpkeepCounts;
}

/** Null: another backup is under way. */
export type BegunBackup = { backupId: string } | null;

/** The activities of the upkeep, by name. */
export interface UpkeepActivities {
  beginBackup(request: { workflowId: string }): Promise<BegunBackup>;
  makeBackup(request: { backupId: string }): Promise<UpkeepCounts>;
  failBackup(request: { backupId: string; error: string }): Promise<void>;
  purgeAuditLog(request: { olderThanDays: number }): Promise<UpkeepCounts>;
  retainEvents(request: { olderThanDays: number | null }): Promise<UpkeepCounts>;
  sweepOverdue(): Promise<UpkeepCounts>;
}
