import { createHash } from 'node:crypto';
import { ScheduleOverlapPolicy, type ScheduleSpec, type ScheduleUpdateOptions } from '@temporalio/client';
import type { MaintenanceInput } from '../../../workflows/maintenance-messages.ts';
import type { MaintenanceSettings } from '../settings.ts';
import { type MaintenanceTask, type MaintenanceTaskName, maintenanceTasks } from '../tasks.ts';

/** The id of a task's schedule. It contains the task queue, because other gateways may share the namespace. */
export const scheduleId = (taskQueue: string, name: MaintenanceTaskName) => `${taskQueue}-upkeep-${name}`;

/**
 * The memo of the workflows, shown in the Web UI. `definition` and `runLimit` show whether the schedule is up to date.
 */
interface MaintenanceMemo {
  task: string;
  definition: string;
  runLimit: string;
}

/**
 * Temporal ends a run after this time, also when no worker can continue it: a run that is pinned to the build of workers
 * that are gone, for example. Until then, the schedule starts no other run of the task.
 */
export const runLimits: Record<MaintenanceTaskName, '1h' | '12h' | '23h'> = {
  // Before the next night's run.
  backup: '23h',
  'audit-purge': '12h',
  retention: '12h',
  // Takes seconds. Meanwhile workers sweep by themselves.
  sweep: '1h',
};

/** The workflow inputs of the scheduled tasks; null for a task that is not scheduled. */
export function inputsOf(settings: MaintenanceSettings): Record<MaintenanceTaskName, MaintenanceInput | null> {
  const { backup, auditRetentionDays, eventRetentionDays } = settings;
  return {
    backup: backup.dir === null && backup.url === null ? null : { task: 'backup' },
    'audit-purge': { task: 'audit-purge', olderThanDays: auditRetentionDays },
    retention: { task: 'retention', olderThanDays: eventRetentionDays },
    sweep: { task: 'sweep' },
  };
}

/** The schedule of a task without its state, because operators control the state. */
export function scheduleOptions(taskQueue: string, name: MaintenanceTaskName, input: MaintenanceInput) {
  const task = maintenanceTasks[name];
  const memo: MaintenanceMemo = { task: name, definition: definitionOf(task, input), runLimit: runLimits[name] };
  const options: Omit<ScheduleUpdateOptions, 'state'> = {
    spec: { ...specOf(task), jitter: task.jitterMs },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: task.catchUpMs },
    action: {
      type: 'startWorkflow',
      workflowType: 'upkeep',
      workflowId: `${scheduleId(taskQueue, name)}-run`,
      taskQueue,
      args: [input],
      memo: { ...memo },
      workflowExecutionTimeout: runLimits[name],
      staticSummary: task.description,
    },
  };
  return { memo, options };
}

function specOf({ when }: MaintenanceTask): ScheduleSpec {
  // Calendars without a time zone are in UTC.
  return 'everyMs' in when ? { intervals: [{ every: when.everyMs }] } : { calendars: [when.atUtc] };
}

/**
 * A hash of the definition. A schedule is updated only when it changes: an update may lose a concurrent change by hand.
 */
const definitionOf = (task: MaintenanceTask, input: MaintenanceInput) =>
  createHash('sha256')
    .update(JSON.stringify([task, input]))
    .digest('hex')
    .slice(0, 16);
