import { z } from 'zod';
import { flag, text, timestamp } from '../http/admin/schemas/common.ts';
import { maintenanceOutcomes, maintenanceProgress } from './maintenance.ts';
import { maintenanceTaskNames } from './tasks.ts';

const times = { started_at: timestamp, finished_at: timestamp.nullable() };
const said = {
  result: z.record(z.string(), z.union([z.number(), z.string()])).nullable(),
  error: text.nullable(),
};
const outcomes = '`skipped`: another run of the task was in progress; `unknown`: beyond the retention of Temporal';

const runExample = {
  started_at: '2026-11-20T03:10:41.000Z',
  finished_at: '2026-11-20T03:10:42.000Z',
  outcome: 'completed' as const,
  result: { deleted: 1200 },
  error: null,
};

/** One run of a maintenance task. */
export const maintenanceRun = z
  .object({ ...times, outcome: z.enum(maintenanceProgress).meta({ description: outcomes }), ...said })
  .meta({
    id: 'UpkeepRun',
    examples: [runExample],
  });

/** One maintenance task with its schedule. */
export const maintenanceTask = z
  .object({
    name: z.enum(maintenanceTaskNames),
    description: text,
    schedule: text.meta({ description: 'When the task runs, in words' }),
    scheduled: flag.meta({
      description: 'Whether Temporal has a schedule for the task; workers create it when they start',
    }),
    paused: flag,
    running: flag.meta({ description: 'Whether a run that the schedule started is in progress' }),
    last_run: z
      .object({ ...times, outcome: z.enum(maintenanceOutcomes).meta({ description: outcomes }), ...said })
      .nullable()
      .meta({ description: 'The last run that has ended' }),
    next_run_at: timestamp.nullable().meta({ description: '`null`: the task is paused or not scheduled' }),
  })
  .meta({
    id: 'UpkeepTask',
    examples: [
      {
        name: 'audit-purge',
        description: 'Deletes audit log entries older than AUDIT_RETENTION_DAYS',
        schedule: 'daily at 03:10 UTC',
        scheduled: true,
        paused: false,
        running: false,
        last_run: runExample,
        next_run_at: '2026-11-21T03:11:02.000Z',
      },
    ],
  });
