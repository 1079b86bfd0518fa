import { CancelledFailure, Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { z } from 'zod';
import type { Log } from '../shared/log.ts';
import { activityFailure } from '../temporal/activity-failure.ts';

/**
 * Converts an error of a maintenance task to the failure for Temporal: as `activityFailure` does, and what only tasks
 * have. The log has the whole error.
 */
export function failureOf(error: unknown, signal: AbortSignal, log: Log): unknown {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const { activityType, attempt } = Context.current().info;
  if (signal.aborted) {
    if (signal.reason instanceof CancelledFailure) return signal.reason;
    return ApplicationFailure.create({
      type: 'Stopped',
      message: 'the worker was stopped during the task',
      // Another worker begins the task again, so the SDK should not log a warning with a stack trace.
      category: ApplicationFailureCategory.BENIGN,
    });
  }
  log.warn({ activity: activityType, attempt, err: error }, 'maintenance task failed');
  // Recognized by its name. Its message is written for operators, so it may be shown.
  if (error instanceof Error && error.name === 'BackupError') return backupFailure(error.message);
  return activityFailure(error);
}

/** The details of the last heartbeat of a try that ended with a BackupError. Temporal passes them to the next try. */
const failedOnce = z.object({ failed: z.literal('BackupError') });

/**
 * A BackupError is retried once, because its reason may be temporary; the second one is final, because a full disk, for
 * example, stays full. Tries that ended in another way, such as with a killed worker, do not count.
 */
function backupFailure(message: string): ApplicationFailure {
  const context = Context.current();
  const nonRetryable = failedOnce.safeParse(context.info.heartbeatDetails).success;
  if (!nonRetryable) context.heartbeat({ failed: 'BackupError' } satisfies z.infer<typeof failedOnce>);
  return ApplicationFailure.create({ type: 'BackupError', message, nonRetryable, nextRetryDelay: '10s' });
}
