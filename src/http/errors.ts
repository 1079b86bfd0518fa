import { BatcherFull } from '../database/batcher.ts';
import { isCanceled, isDatabaseError, isLockTimeout, isReadOnly } from '../database/errors.ts';
import { SealedValueUnreadable } from '../secrets/sealed-value-unreadable.ts';
import type { Log } from '../shared/log.ts';
import { type FieldError, fieldErrors, fieldsInWords } from '../shared/plain-words.ts';
import { databaseUnavailable, Problem } from './problem.ts';

/** One of Elysia's validation errors of a body, query or path. */
interface ValidationIssue {
  path?: unknown;
  message?: unknown;
  summary?: unknown;
}

/**
 * The problem to respond with for a thrown error. Elysia's own error responses are never used: its validation error
 * repeats the input, which may hold a secret.
 */
export function problemOf(error: unknown, code: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  // Elysia wraps the errors of our body parser.
  if (error instanceof Error && error.cause instanceof Problem) return error.cause;
  if (code === 'VALIDATION' && error instanceof Error)
    return isResponseError(error) ? invalidResponse(error, log) : invalid(error);
  if (code === 'PARSE') return new Problem('malformed_json', 'the body could not be read');
  if (error instanceof SealedValueUnreadable) return new Problem('internal', error.message);
  if (error instanceof BatcherFull || isDatabaseError(error)) {
    log.warn({ err: error }, 'request failed, database unavailable');
    return databaseUnavailable(whyNot(error));
  }
  log.error({ err: error }, 'request failed');
  return new Problem('internal', 'the request failed in the gateway; see its log for the reason');
}

/** Why a database that answers has not done what was asked. */
function whyNot(error: unknown): string | undefined {
  if (isLockTimeout(error)) return 'another change of the same rows is still running; try again in a few seconds';
  if (isCanceled(error)) return 'the database took too long for this; ask for less, or try again later';
  if (isReadOnly(error))
    return 'the database takes no writes: look whether its disk is full, or whether it is a standby';
  return undefined;
}

/** Elysia also validates our responses against their schemas. */
const isResponseError = (error: Error) => 'type' in error && error.type === 'response';

function invalidResponse(error: Error, log: Log): Problem {
  // Only the paths are logged: the values may belong to a payload.
  const paths = invalid(error).options.errors?.map(({ path }) => path);
  log.error({ paths }, 'response does not match its schema');
  return new Problem('internal', 'the request failed in the gateway; see its log for the reason');
}

function invalid(error: Error): Problem {
  const issues: unknown = 'all' in error ? error.all : undefined;
  const errors = Array.isArray(issues) ? issues.flatMap(errorsOf) : [];
  return new Problem('invalid', fieldsInWords(errors) || 'the request does not match its schema', { errors });
}

function errorsOf(issue: ValidationIssue): FieldError[] {
  const message = typeof issue.message === 'string' ? issue.message : 'is not valid';
  const path = typeof issue.path === 'string' && issue.path !== 'root' ? issue.path : '';
  return fieldErrors(path, message);
}
