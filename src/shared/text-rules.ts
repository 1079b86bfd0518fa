import { z } from 'zod';

const notStorable = 'must not contain NUL characters or lone surrogates';
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is the character that PostgreSQL refuses
const withoutNul = /^[^\u0000]*$/;

/** Text for PostgreSQL: no NUL, well-formed Unicode, at most `max` characters. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    // A regular expression instead of a function, so that it is also in the OpenAPI document.
    .regex(withoutNul, notStorable)
    .refine((value) => value.isWellFormed(), notStorable);

/** Like {@link text}, but not empty. */
export const filled = (max: number) => text(max).min(1);

/** A secret. The limit only prevents abuse; the secrets of all providers are far shorter. */
export const secret = text(1000);

/** An absolute `http:` or `https:` URL (R13: at most 500 characters). */
export const httpUrl = filled(500)
  .refine(
    (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && /^https?:\/\//i.test(value),
    'must be an absolute http: or https: URL',
  )
  .meta({ format: 'uri' });
