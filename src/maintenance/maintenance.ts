import type { UpkeepTaskName } from './tasks.ts';

/** How a run of a task ended. `unknown`: Temporal does not keep it any more. */
export const upkeepOutcomes = [
  'completed',
  'skipped',
  'failed',
  'cancelled',
  'terminated',
  'timed_out',
  'unknown',
] as const;

export interface UpkeepRun {
  startedAt: Date;
  finishedAt: Date | null;
  outcome: (typeof upkeepOutcomes)[number];
  /** What was done, in numbers, and the backup's id. */
  result: Record<string, number | string> | null;
  /** Why it failed. */
  error: string | null;
}

/** How a task stands, as its schedule has it. */
export interface UpkeepState {
  name: UpkeepTaskName;
  /** Whether there is a schedule: workers make it when they start. */
  scheduled: boolean;
  paused: boolean;
  running: boolean;
  lastRun: UpkeepRun | null;
  nextRunAt: Date | null;
}

/** Temporal could not be asked. */
export class UpkeepUnavailable extends Error {
  override name = 'UpkeepUnavailable';
}

/** The task has no schedule. */
export class NotScheduled extends Error {
  override name = 'NotScheduled';
}

/**
 * The upkeep as operators see it.
 *
 * @throws UpkeepUnavailable by everything; NotScheduled by what needs a schedule.
 */
export interface Upkeep {
  list(): Promise<UpkeepState[]>;
  read(name: UpkeepTaskName): Promise<UpkeepState>;
  /** Runs the task now, unless it runs already. */
  trigger(name: UpkeepTaskName): Promise<void>;
  /** @param note why, as Temporal's Web UI shows it */
  pause(name: UpkeepTaskName, note: string): Promise<void>;
  resume(name: UpkeepTaskName, note: string): Promise<void>;
  /** Starts the workflow that makes the backup of this row. */
  startBackup(backup: { id: string; workflowId: string }): Promise<void>;
}
