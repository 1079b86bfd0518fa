import ipaddr from 'ipaddr.js';
import ms, { type StringValue } from 'ms';
import { z } from 'zod';

// Types of settings, as the environment has them: parsed from text.

/** A duration such as `10s`, `1m` or `200ms`, in milliseconds. A number without a unit is refused as ambiguous. */
const duration = z.string().transform((text, context) => {
  const value = /^\d+(\.\d+)?(ms|s|m|h)$/.test(text.trim()) ? ms(text.trim() as StringValue) : Number.NaN;
  if (Number.isFinite(value)) return Math.round(value);
  context.addIssue({ code: 'custom', message: `'${text}' is not a duration; write it like 200ms, 10s, 1m or 1h` });
  return z.NEVER;
});

/** A duration within these limits, in milliseconds. */
export const durationBetween = (min: StringValue, max: StringValue) =>
  duration.refine((value) => value >= ms(min) && value <= ms(max), `must be between ${min} and ${max}`);

/** A whole number within these limits. */
export const integerBetween = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

/** Parts between commas, without spaces around them; empty parts are dropped. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/**
 * A text that `mistakeOf` finds no mistake in. The error does not contain the text, which may include credentials.
 *
 * @param mistakeOf what is wrong, as in "must be …"; null if nothing is.
 */
export const checkedText = (mistakeOf: (text: string) => string | null) =>
  z.string().superRefine((text, context) => {
    const mistake = mistakeOf(text);
    if (mistake !== null) context.addIssue({ code: 'custom', message: mistake });
  });

/** A list whose parts `mistakeOf` finds no mistake in. The error names the part. */
export const checkedList = (mistakeOf: (part: string) => string | null) =>
  list.superRefine((parts, context) => {
    for (const part of parts) {
      const mistake = mistakeOf(part);
      if (mistake !== null) context.addIssue({ code: 'custom', message: `'${part}' ${mistake}` });
    }
  });

/** CIDRs between commas. */
export const cidrList = checkedList((part) => (ipaddr.isValidCIDR(part) ? null : 'is not a CIDR such as 10.0.0.0/8'));

/** An http: or https: URL, without a slash at its end. */
export const origin = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http: or https: URL')
  .transform((text) => text.replace(/\/+$/, ''));

/** No password, because others receive links with this URL. No query or fragment, because paths are appended. */
export const publicUrl = origin.refine((text) => {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '' && url.search === '' && url.hash === '');
}, 'must hold no user, password, query or fragment');

export const notVisible = 'may hold visible ASCII characters only';

/** A text that every client sends unchanged in a header. */
export const headerText = z.string().regex(/^[\x21-\x7e]*$/, notVisible);
