import { z } from 'zod';

/** Text for PostgreSQL: no NUL, well-formed Unicode, at most `max` characters. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine(
      (value) => !value.includes('\u0000') && value.isWellFormed(),
      'must not hold NUL characters or lone surrogates',
    );

/** The same, and not empty. */
export const filled = (max: number) => text(max).min(1);

/** A secret's length is bounded only against abuse; none of the providers comes near. */
export const secret = text(1000);

/** An absolute `http:` or `https:` URL (specification, section 8: at most 500 characters). */
export const httpUrl = filled(500).refine(
  (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && /^https?:\/\//i.test(value),
  'must be an absolute http: or https: URL',
);
