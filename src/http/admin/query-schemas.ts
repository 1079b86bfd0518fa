import { z } from 'zod';

const storable = 'must not hold NUL characters';

/** A filter that is compared with a text column. */
export const textFilter = z
  .string()
  .max(500)
  .refine((value) => !value.includes('\u0000'), storable)
  .optional();

/** ISO 8601 with a zone, or a date; as a Date. */
export const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 time such as 2026-11-20T10:00:00Z',
  })
  .transform((text) => new Date(text))
  .optional();

/** A whole number of a query string, with its bounds. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

/** Ids are UUIDs; another text is the id of nothing. */
export const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
