import { BatcherFull } from '../database/batcher.ts';
import { isDatabaseError } from '../database/errors.ts';
import { SealedValueUnreadable } from '../secrets/sealed-value-unreadable.ts';
import type { Log } from '../shared/log.ts';
import { type FieldError, fieldErrors, fieldsInWords } from '../shared/plain-words.ts';
import { databaseUnavailable, Problem } from './problem.ts';

/** What Elysia says of a body, query or path that does not fit its schema. */
interface ValidationIssue {
  path?: unknown;
  message?: unknown;
  summary?: unknown;
}

/**
 * The problem to answer with for whatever was thrown. Elysia's own answers are never used: its validation error repeats
 * the input, which may hold a secret.
 */
export function problemOf(error: unknown, code: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  // What a parser of ours throws comes wrapped.
  if (error instanceof Error && error.cause instanceof Problem) return error.cause;
  if (code === 'VALIDATION' && error instanceof Error)
    return isAboutAnswer(error) ? brokenAnswer(error, log) : invalid(error);
  if (code === 'PARSE') return new Problem('malformed_json', 'the body could not be read');
  if (error instanceof SealedValueUnreadable) return new Problem('internal', error.message);
  if (error instanceof BatcherFull || isDatabaseError(error)) {
    log.warn({ err: error }, 'a request met an unavailable database');
    return databaseUnavailable();
  }
  log.error({ err: error }, 'a request failed');
  return new Problem('internal', 'the request failed here; the log says why');
}

/** Elysia checks our own answers against their schemas as well. */
const isAboutAnswer = (error: Error) => 'type' in error && error.type === 'response';

function brokenAnswer(error: Error, log: Log): Problem {
  // The paths alone: what stands there may be a payload.
  const paths = invalid(error).options.errors?.map(({ path }) => path);
  log.error({ paths }, 'an answer did not fit its schema');
  return new Problem('internal', 'the request failed here; the log says why');
}

function invalid(error: Error): Problem {
  const issues: unknown = 'all' in error ? error.all : undefined;
  const errors = Array.isArray(issues) ? issues.flatMap(errorsOf) : [];
  return new Problem('invalid', fieldsInWords(errors) || 'the request does not fit its schema', { errors });
}

function errorsOf(issue: ValidationIssue): FieldError[] {
  const message = typeof issue.message === 'string' ? issue.message : 'is not valid';
  const path = typeof issue.path === 'string' && issue.path !== 'root' ? issue.path : '';
  return fieldErrors(path, message);
}
