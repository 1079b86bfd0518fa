import { z } from 'zod';
import { flag, text, timestamp } from '../http/admin/schemas/common.ts';
import { maintenanceOutcomes } from './maintenance.ts';
import { maintenanceTaskNames } from './tasks.ts';

/** One maintenance task with its schedule. */
export const maintenanceTask = z
  .object({
    name: z.enum(maintenanceTaskNames),
    description: text,
    schedule: text.meta({ description: 'When it runs, in words' }),
    scheduled: flag.meta({ description: 'Whether Temporal has its schedule: workers make it when they start' }),
    paused: flag,
    running: flag.meta({ description: 'Whether its schedule has started a run that has not ended' }),
    last_run: z
      .object({
        started_at: timestamp,
        finished_at: timestamp.nullable(),
        outcome: z.enum(maintenanceOutcomes).meta({
          description: '`skipped`: another one was at it; `unknown`: Temporal does not keep it any more',
        }),
        result: z.record(z.string(), z.union([z.number(), z.string()])).nullable(),
        error: text.nullable(),
      })
      .nullable()
      .meta({ description: 'The last one that has ended' }),
    next_run_at: timestamp.nullable().meta({ description: 'Null while it is paused or not scheduled' }),
  })
  .meta({
    id: 'UpkeepTask',
    examples: [
      {
        name: 'audit-purge',
        description: 'Deletes entries of the audit log older than AUDIT_RETENTION_DAYS',
        schedule: 'daily at 03:10 UTC',
        scheduled: true,
        paused: false,
        running: false,
        last_run: {
          started_at: '2026-11-20T03:10:41.000Z',
          finished_at: '2026-11-20T03:10:42.000Z',
          outcome: 'completed',
          result: { deleted: 1200 },
          error: null,
        },
        next_run_at: '2026-11-21T03:11:02.000Z',
      },
    ],
  });
