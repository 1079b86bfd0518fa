import { createHash } from 'node:crypto';
import { ScheduleOverlapPolicy, type ScheduleSpec, type ScheduleUpdateOptions } from '@temporalio/client';
import type { MaintenanceInput } from '../../../workflows/maintenance-messages.ts';
import type { MaintenanceSettings } from '../settings.ts';
import { type MaintenanceTask, type MaintenanceTaskName, maintenanceTasks } from '../tasks.ts';

/** A task's schedule in Temporal. Gateways of other task queues may share the namespace. */
export const scheduleId = (taskQueue: string, name: MaintenanceTaskName) => `${taskQueue}-upkeep-${name}`;

/** What the Web UI shows in the list of workflows; `definition` tells whether the schedule is up to date. */
interface MaintenanceMemo {
  task: string;
  definition: string;
}

/** Which tasks are to be scheduled, and with what: null for one that is not. */
export function inputsOf(settings: MaintenanceSettings): Record<MaintenanceTaskName, MaintenanceInput | null> {
  const { backup, auditRetentionDays, eventRetentionDays } = settings;
  return {
    backup: backup.dir === null && backup.url === null ? null : { task: 'backup' },
    'audit-purge': { task: 'audit-purge', olderThanDays: auditRetentionDays },
    retention: { task: 'retention', olderThanDays: eventRetentionDays },
    sweep: { task: 'sweep' },
  };
}

/** The whole schedule of a task but for its state, which belongs to operators. */
export function scheduleOptions(taskQueue: string, name: MaintenanceTaskName, input: MaintenanceInput) {
  const task = maintenanceTasks[name];
  const memo: MaintenanceMemo = { task: name, definition: definitionOf(task, input) };
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
      staticSummary: task.description,
    },
  };
  return { memo, options };
}

function specOf({ when }: MaintenanceTask): ScheduleSpec {
  // Without a time zone it is UTC.
  return 'everyMs' in when ? { intervals: [{ every: when.everyMs }] } : { calendars: [when.atUtc] };
}

/** A schedule is written again only when this has changed: what an operator does at that moment could be lost. */
const definitionOf = (task: MaintenanceTask, input: MaintenanceInput) =>
  createHash('sha256')
    .update(JSON.stringify([task, input]))
    .digest('hex')
    .slice(0, 16);
