import { CancelledFailure, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { databaseFailure, isDatabaseError } from '../src/database/errors.ts';
import type { Log } from '../src/shared/log.ts';

/** Errors of the program itself: the same call fails again, until another version of the gateway runs it. */
const bugs = [TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * Runs an activity whose errors become failures without details, because workflow histories have many readers: an error
 * of PostgreSQL may quote a statement, a value or a host. The log has the whole error.
 *
 * What can never succeed is not retried: the workflow fails, and the sweep starts another one while the event is pending.
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
  if (!isDatabaseError(error))
    return bugs.some((bug) => error instanceof bug)
      ? ApplicationFailure.nonRetryable("a bug of the gateway; see the worker's log", 'Bug')
      : ApplicationFailure.create({ type: 'Unexpected', message: "it failed; see the worker's log for the reason" });
  if (databaseFailure(error) === 'bad_data')
    return ApplicationFailure.nonRetryable("PostgreSQL refuses the data; see the worker's log", 'RefusedData');
  return ApplicationFailure.create({
    type: 'Database',
    message: "the database could not be used; see the worker's log for the reason",
  });
}
