import type { z } from 'zod';

/**
 * The error message for an invalid value, to follow the name of its field: `must be …`. For zod's `error` and
 * `customError`; a schema's own messages take precedence.
 */
export function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined && issue.path?.length) return 'is required';
      if (issue.expected === 'object' || issue.expected === 'record') return 'must be a JSON object';
      if (issue.input === undefined) return 'is required';
      if (issue.expected === 'int') return 'must be a whole number';
      if (issue.expected === 'array') return 'must be a list';
      if (issue.expected === 'string' && Array.isArray(issue.input)) return 'must be one text, not a list';
      return `must be ${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_union':
      // Only for the discriminator of a union, the field that selects one of several shapes.
      if (!Array.isArray(issue.options) || issue.discriminator === undefined) return undefined;
      if (!hasOwn(issue.input, issue.discriminator)) return 'is required';
      return `must be one of: ${issue.options.join(', ')}`;
    case 'invalid_format':
      return issue.format === 'email' ? 'must be an email address' : undefined;
    case 'too_small':
      if (issue.origin === 'number' || issue.origin === 'int') return `must be ${issue.minimum} or more`;
      if (issue.minimum === 1) return 'must not be empty';
      return `must have ${issue.minimum} ${countable(issue.origin)} or more`;
    case 'too_big':
      if (issue.origin === 'number' || issue.origin === 'int') return `must be ${issue.maximum} or less`;
      return `must have ${issue.maximum} ${countable(issue.origin)} or fewer`;
    case 'unrecognized_keys':
      return unknownFields + JSON.stringify(issue.keys);
    default:
      return undefined;
  }
}

const hasOwn = (value: unknown, name: string) => value instanceof Object && Object.hasOwn(value, name);

const countable = (origin: string) => (origin === 'string' ? 'characters' : 'entries');

const unknownFields = 'unknown fields: ';

/** The error of one field. `path` is dotted, and empty for the whole value. */
export interface FieldError {
  path: string;
  message: string;
}

/** The errors of a field. A message about unknown fields becomes one error for each of them. */
export function fieldErrors(path: string, message: string): FieldError[] {
  if (!message.startsWith(unknownFields)) return [{ path, message }];
  const names: string[] = JSON.parse(message.slice(unknownFields.length));
  return names.map((name) => ({ path: path === '' ? name : `${path}.${name}`, message: 'is not a known field' }));
}

/** Joins errors of fields to one sentence. */
export function fieldsInWords(errors: readonly FieldError[]): string {
  return errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}
