import { CancelledFailure, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { isDatabaseError } from '../database/errors.ts';
import type { Log } from '../shared/log.ts';

/**
 * What Temporal is told of a failure: a sentence for people, for histories are read by many. The log has all of it.
 */
export function failureOf(error: unknown, signal: AbortSignal, log: Log): unknown {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const { activityType, attempt } = Context.current().info;
  const failed = (type: string, message: string) => ApplicationFailure.create({ type, message });
  if (signal.aborted) {
    if (signal.reason instanceof CancelledFailure) return signal.reason;
    return failed('Stopped', 'the worker was stopped meanwhile');
  }
  log.warn({ activity: activityType, attempt, err: error }, 'a task of the upkeep failed');
  // By its name alone: whatever makes such errors says in them what people may read.
  if (error instanceof Error && error.name === 'BackupError') return backupFailure(error.message);
  if (isDatabaseError(error))
    return failed('Database', 'the database could not be used; the log of the worker says why');
  return failed('Unexpected', 'it failed; the log of the worker says why');
}

/** What the last heartbeat of a try says that ended so; the next try is told of it. */
const failedOnce = z.object({ failed: z.literal('BackupError') });

/**
 * A full disk stays full: such a failure is tried once more, in case that it was a passing one, and then is final. Tries that
 * ended otherwise do not count: with a worker that was killed, say.
 */
function backupFailure(message: string): ApplicationFailure {
  const context = Context.current();
  const nonRetryable = failedOnce.safeParse(context.info.heartbeatDetails).success;
  if (!nonRetryable) context.heartbeat({ failed: 'BackupError' } satisfies z.infer<typeof failedOnce>);
  return ApplicationFailure.create({ type: 'BackupError', message, nonRetryable, nextRetryDelay: '10s' });
}
