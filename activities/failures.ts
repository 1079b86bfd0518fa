import { CancelledFailure, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Log } from '../src/shared/log.ts';
import { activityFailure } from '../src/temporal/activity-failure.ts';

/**
 * Runs an activity whose errors become failures without details (`activityFailure`). The log has the whole error.
 *
 * A failure that is not retried ends the workflow, and the sweep starts another one while the event is pending.
 */
export async function withPlainFailures<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error, log);
  }
}

function failureOf(error: unknown, log: Log): unknown {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const { cancellationSignal, info } = Context.current();
  // Calls that Temporal has cancelled end with errors of many kinds.
  if (cancellationSignal.aborted && cancellationSignal.reason instanceof CancelledFailure)
    return cancellationSignal.reason;
  const { activityType, attempt, workflowExecution } = info;
  log.warn(
    { activity: activityType, attempt, workflowId: workflowExecution?.workflowId, err: error },
    'activity failed',
  );
  return activityFailure(error);
}
