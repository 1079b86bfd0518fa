import type { MaintenanceTaskName } from './tasks.ts';

/** How a run of a task ended. `unknown`: Temporal has already deleted the run. */
export const maintenanceOutcomes = [
  'completed',
  'skipped',
  'failed',
  'cancelled',
  'terminated',
  'timed_out',
  'unknown',
] as const;
/** How a run ended, or that it has not. */
export const maintenanceProgress = ['running', ...maintenanceOutcomes] as const;

export interface MaintenanceRun<Outcome = (typeof maintenanceOutcomes)[number]> {
  startedAt: Date;
  finishedAt: Date | null;
  outcome: Outcome;
  /** The counts of the run, and the id of the backup. */
  result: Record<string, number | string> | null;
  /** Why it failed. */
  error: string | null;
}

export type ListedRun = MaintenanceRun<(typeof maintenanceProgress)[number]>;

/** The state of a task according to its schedule in Temporal. */
export interface MaintenanceState {
  name: MaintenanceTaskName;
  /** Whether there is a schedule. Workers create it at their start. */
  scheduled: boolean;
  paused: boolean;
  running: boolean;
  lastRun: MaintenanceRun | null;
  nextRunAt: Date | null;
}

/** Temporal could not be reached. */
export class MaintenanceUnavailable extends Error {
  override name = 'MaintenanceUnavailable';
}

/** The task has no schedule. */
export class NotScheduled extends Error {
  override name = 'NotScheduled';
}

/**
 * The maintenance tasks for operators.
 *
 * @throws MaintenanceUnavailable from every function; NotScheduled from those that need a schedule.
 */
export interface Maintenance {
  list(): Promise<MaintenanceState[]>;
  read(name: MaintenanceTaskName): Promise<MaintenanceState>;
  /** The last runs that the schedule started, at most ten, newest first. Empty without a schedule. */
  runs(name: MaintenanceTaskName): Promise<ListedRun[]>;
  /** Runs the task now, unless it is already running. */
  trigger(name: MaintenanceTaskName): Promise<void>;
  /** @param note the reason, shown in Temporal's Web UI */
  pause(name: MaintenanceTaskName, note: string): Promise<void>;
  resume(name: MaintenanceTaskName, note: string): Promise<void>;
  /** Starts the workflow that makes the backup of this row. */
  startBackup(backup: { id: string; workflowId: string }): Promise<void>;
}
