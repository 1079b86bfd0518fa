export const maintenanceTaskNames = ['backup', 'audit-purge', 'retention', 'sweep'] as const;
export type MaintenanceTaskName = (typeof maintenanceTaskNames)[number];

/** The definition of a maintenance task. */
export interface MaintenanceTask {
  description: string;
  /** The schedule as text for operators. */
  schedule: string;
  when: { atUtc: { hour: number; minute: number } } | { everyMs: number };
  /** Spreads the runs, so that gateways that share servers do not all start at the same time. */
  jitterMs: number;
  /** How late a run may start after Temporal was unavailable. A later run is skipped. */
  catchUpMs: number;
}

const minuteMs = 60_000;
/** A daily task. The tasks run one after another. */
const nightly = (hour: number, minute: number) => ({
  schedule: `daily at ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')} UTC`,
  when: { atUtc: { hour, minute } },
  jitterMs: 2 * minuteMs,
  // A server that is available again within an hour still runs the task.
  catchUpMs: 60 * minuteMs,
});

/** The maintenance tasks, each with a Temporal Schedule of its own. */
export const maintenanceTasks: Record<MaintenanceTaskName, MaintenanceTask> = {
  backup: {
    ...nightly(2, 30),
    description: 'Backs up the database, and deletes the oldest backups beyond BACKUP_KEEP',
  },
  'audit-purge': {
    ...nightly(3, 10),
    description: 'Deletes audit log entries older than AUDIT_RETENTION_DAYS',
  },
  retention: {
    // Before the backup, which may read for hours: days that are being read are not dropped.
    ...nightly(1, 40),
    description:
      'Creates the partitions of the coming days, and deletes expired rows and events older than EVENT_RETENTION_DAYS',
  },
  sweep: {
    description: 'Starts workflows for overdue events without one, and sends overdue notifications',
    schedule: 'every 5 minutes',
    // Workers also sweep every 30 s by themselves. This task can be seen and triggered; each run is a stored workflow.
    when: { everyMs: 5 * minuteMs },
    jitterMs: 5_000,
    catchUpMs: minuteMs,
  },
};

export const isMaintenanceTaskName = (name: string): name is MaintenanceTaskName =>
  maintenanceTaskNames.some((known) => known === name);
