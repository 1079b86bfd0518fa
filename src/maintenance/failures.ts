import { CancelledFailure, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { isDatabaseError } from '../database/errors.ts';
import type { Log } from '../shared/log.ts';

/**
 * Converts an error to the failure for Temporal. It contains only a sentence without details, because workflow
 * histories have many readers. The log has the whole error.
 */
export function failureOf(error: unknown, signal: AbortSignal, log: Log): unknown {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const { activityType, attempt } = Context.current().info;
  const failed = (type: string, message: string) => ApplicationFailure.create({ type, message });
  if (signal.aborted) {
    if (signal.reason instanceof CancelledFailure) return signal.reason;
    return failed('Stopped', 'the worker was stopped during the task');
  }
  log.warn({ activity: activityType, attempt, err: error }, 'maintenance task failed');
  // Recognized by its name. Its message is written for operators, so it may be shown.
  if (error instanceof Error && error.name === 'BackupError') return backupFailure(error.message);
  if (isDatabaseError(error))
    return failed('Database', "the database could not be used; see the worker's log for the reason");
  return failed('Unexpected', "it failed; see the worker's log for the reason");
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
