import type { z } from 'zod';

/**
 * What is wrong with a value, in words for whoever wrote it: what is expected of the field whose name stands before.
 * For zod's `error` and `customError`; messages that a schema gives itself go first.
 */
export function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'object') return 'must be a JSON object';
      if (issue.input === undefined) return 'is required';
      if (issue.expected === 'string' && Array.isArray(issue.input)) return 'must be one text, not a list';
      return `must be ${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}`;
    case 'too_small':
      if (issue.origin !== 'string') return undefined;
      return issue.minimum === 1 ? 'must not be empty' : `must have ${issue.minimum} characters or more`;
    case 'too_big':
      return issue.origin === 'string' ? `must have ${issue.maximum} characters or fewer` : undefined;
    case 'unrecognized_keys':
      return unknownFields + JSON.stringify(issue.keys);
    default:
      return undefined;
  }
}

const unknownFields = 'unknown fields: ';

/** The names in a message about unknown fields, or null when it is about something else. */
export function unknownFieldNames(message: string): string[] | null {
  return message.startsWith(unknownFields) ? JSON.parse(message.slice(unknownFields.length)) : null;
}
