import type { MaintenanceTaskName } from './tasks.ts';

/** How a run of a task ended. `unknown`: Temporal does not keep it any more. */
export const maintenanceOutcomes = [
  'completed',
  'skipped',
  'failed',
  'cancelled',
  'terminated',
  'timed_out',
  'unknown',
] as const;

export interface MaintenanceRun {
  startedAt: Date;
  finishedAt: Date | null;
  outcome: (typeof maintenanceOutcomes)[number];
  /** What was done, in numbers, and the backup's id. */
  result: Record<string, number | string> | null;
  /** Why it failed. */
  error: string | null;
}

/** How a task stands, as its schedule has it. */
export interface MaintenanceState {
  name: MaintenanceTaskName;
  /** Whether there is a schedule: workers make it when they start. */
  scheduled: boolean;
  paused: boolean;
  running: boolean;
  lastRun: MaintenanceRun | null;
  nextRunAt: Date | null;
}

/** Temporal could not be asked. */
export class MaintenanceUnavailable extends Error {
  override name = 'UpkeepUnavailable';
}

/** The task has no schedule. */
export class NotScheduled extends Error {
  override name = 'NotScheduled';
}

/**
 * Maintenance as operators see it.
 *
 * @throws MaintenanceUnavailable by everything; NotScheduled by what needs a schedule.
 */
export interface Maintenance {
  list(): Promise<MaintenanceState[]>;
  read(name: MaintenanceTaskName): Promise<MaintenanceState>;
  /** Runs the task now, unless it runs already. */
  trigger(name: MaintenanceTaskName): Promise<void>;
  /** @param note why, as Temporal's Web UI shows it */
  pause(name: MaintenanceTaskName, note: string): Promise<void>;
  resume(name: MaintenanceTaskName, note: string): Promise<void>;
  /** Starts the workflow that makes the backup of this row. */
  startBackup(backup: { id: string; workflowId: string }): Promise<void>;
}
