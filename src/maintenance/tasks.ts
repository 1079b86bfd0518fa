export const maintenanceTaskNames = ['backup', 'audit-purge', 'retention', 'sweep'] as const;
export type MaintenanceTaskName = (typeof maintenanceTaskNames)[number];

/** A maintenance task, as people are told of it. */
export interface MaintenanceTask {
  description: string;
  /** When, in words. */
  schedule: string;
  when: { atUtc: { hour: number; minute: number } } | { everyMs: number };
  /** Runs are spread over so much, so that gateways that share servers do not all begin at once. */
  jitterMs: number;
  /** How late a run may begin after Temporal was away; what is older is left to the next one. */
  catchUpMs: number;
}

const minuteMs = 60_000;
/** At night in most places, one after another. */
const nightly = (hour: number, minute: number) => ({
  schedule: `daily at ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')} UTC`,
  when: { atUtc: { hour, minute } },
  jitterMs: 2 * minuteMs,
  // A server that comes back within the hour still does what the night was for.
  catchUpMs: 60 * minuteMs,
});

/** The maintenance tasks, each with a Temporal Schedule of its own. */
export const maintenanceTasks: Record<MaintenanceTaskName, MaintenanceTask> = {
  backup: {
    ...nightly(2, 30),
    description: 'Backs the database up, and deletes the oldest backups beyond BACKUP_KEEP',
  },
  'audit-purge': {
    ...nightly(3, 10),
    description: 'Deletes entries of the audit log older than AUDIT_RETENTION_DAYS',
  },
  retention: {
    // Before the backup: days that somebody reads are not dropped, and a large one is read for hours.
    ...nightly(1, 40),
    description:
      'Makes the partitions of the coming days, deletes what has expired, and days of events older than EVENT_RETENTION_DAYS',
  },
  sweep: {
    description: 'Starts again what should have a workflow and has none, and sends notifications that nobody has sent',
    schedule: 'every 5 minutes',
    // Workers look every 30 s by themselves; this one can be seen and asked for, and each run is a workflow to keep.
    when: { everyMs: 5 * minuteMs },
    jitterMs: 5_000,
    catchUpMs: minuteMs,
  },
};

export const isMaintenanceTaskName = (name: string): name is MaintenanceTaskName =>
  maintenanceTaskNames.some((known) => known === name);
