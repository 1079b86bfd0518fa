import { z } from 'zod';

const notStorable = 'must not hold NUL characters or lone surrogates';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the very character that PostgreSQL does not take
const withoutNul = /^[^\u0000]*$/;

/** Text for PostgreSQL: no NUL, well-formed Unicode, at most `max` characters. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    // An expression and no function, so that the API's documentation has it too.
    .regex(withoutNul, notStorable)
    .refine((value) => value.isWellFormed(), notStorable);

/** The same, and not empty. */
export const filled = (max: number) => text(max).min(1);

/** A secret's length is bounded only against abuse; none of the providers comes near. */
export const secret = text(1000);

/** An absolute `http:` or `https:` URL (R13: at most 500 characters). */
export const httpUrl = filled(500)
  .refine(
    (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && /^https?:\/\//i.test(value),
    'must be an absolute http: or https: URL',
  )
  .meta({ format: 'uri' });
