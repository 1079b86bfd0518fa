import { z } from 'zod';
import { isId } from '../../shared/is-id.ts';
import { text } from '../../shared/text-rules.ts';

/** A filter that is compared with a text column. */
export const textFilter = text(500).optional();

/** `true` or `false` in a query string, or as JSON. */
export const flagFilter = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((given) => given === 'true')], {
    error: 'must be true or false',
  })
  .meta({ override: { type: 'boolean' } })
  .optional();

/** An ISO 8601 time with a zone, or a date. Parsed to a Date. */
export const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 time such as 2026-11-20T10:00:00Z',
  })
  .transform((given) => new Date(given))
  .optional();

/** The number of entries in a list when the request names no limit. */
export const defaultLimit = 100;

/**
 * An optional whole number in a query string. The OpenAPI document describes it as an integer, although the query string
 * holds text, and names `otherwise` as its default. The schema itself has no default: that would make the parameter
 * required in the typed client, whose types come from the parsed value.
 */
export const optionalInteger = (min: number, max: number, otherwise: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
    .optional()
    .meta({ override: { type: 'integer', minimum: min, maximum: max, default: otherwise, pattern: undefined } });

/** The largest number of entries in a list. */
export const limit = optionalInteger(1, 1000, defaultLimit);

/** The cursor of the next page: the id of the last entry seen. */
export const cursor = z
  .string()
  .refine(isId, 'must be an id')
  // Ids are stored in lower case, and cursors are also compared as text.
  .transform((given) => given.toLowerCase())
  .meta({ override: { type: 'string', format: 'uuid' } })
  .optional();
