import { ApplicationFailure } from '@temporalio/common';
import { databaseFailure, isDatabaseError } from '../database/errors.ts';

/** Errors of the program itself: the same call fails again, until another version of the gateway runs it. */
const bugs = [TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * The failure of an activity for the workflow's history: a kind and a sentence without details, because histories have
 * many readers, and an error of PostgreSQL may quote a statement, a value or a host. docs/task-queues.md lists the kinds.
 * What can never succeed is not retried.
 */
export function activityFailure(error: unknown): ApplicationFailure {
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
