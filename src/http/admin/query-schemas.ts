import { z } from 'zod';
import { text } from '../../shared/text-rules.ts';

/** A filter that is compared with a text column. */
export const textFilter = text(500).optional();

/** ISO 8601 with a zone, or a date; as a Date. */
export const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 time such as 2026-11-20T10:00:00Z',
  })
  .transform((given) => new Date(given))
  .optional();

/** A whole number of a query string, with its bounds. */
const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
    // To whoever reads the documentation it is a number.
    .meta({ override: { type: 'integer', minimum: min, maximum: max, pattern: undefined } });

/** How many entries a list answers with when nobody says. */
export const defaultLimit = 100;

/**
 * A whole number that need not be given; the documentation names what counts then. Optional here, not with a default: clients'
 * types come from what is parsed.
 */
export const optionalInteger = (min: number, max: number, otherwise: number) =>
  integer(min, max)
    .optional()
    .meta({ override: { type: 'integer', minimum: min, maximum: max, default: otherwise, pattern: undefined } });

/** The number of entries a list answers with. */
export const limit = optionalInteger(1, 1000, defaultLimit);

/** Ids are UUIDs; another text is the id of nothing. */
export const isId = (given: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given);

/** The cursor of the next page: the id of the last entry seen. */
export const cursor = z
  .string()
  .refine(isId, 'must be an id')
  // As stored, since cursors are compared as texts too.
  .transform((given) => given.toLowerCase())
  .meta({ override: { type: 'string', format: 'uuid' } })
  .optional();
