import { z } from 'zod';
import { placeholders } from './hmac-text.ts';
import { toleranceSeconds } from './provider-config.ts';
import { alwaysSecret } from './stored-headers.ts';

/** A header name (RFC 9110, section 5.6.2). */
const headerName = (description: string) =>
  z
    .string()
    .max(100)
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a header name: letters, digits, - and _')
    .meta({ description });

/** The name of a header whose value is stored, shown and logged. */
const shownHeader = (description: string) =>
  headerName(description).refine(
    (name) => !alwaysSecret.has(name.toLowerCase()),
    'must not be a header with credentials: its value is stored and shown',
  );

/** The `provider_config` of `hmac`: how the sender signs, and where the event type and id are. */
export const hmacConfig = z
  .strictObject({
    header: headerName('Name of the header with the signature'),
    algorithm: z
      .enum(['sha1', 'sha256', 'sha384', 'sha512'])
      .default('sha256')
      .meta({ description: 'Hash algorithm of the HMAC' }),
    encoding: z.enum(['hex', 'base64', 'base64url']).default('hex').meta({ description: 'Encoding of the signature' }),
    prefix: z
      .string()
      .max(50)
      .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')
      .default('')
      .meta({ description: 'Text before each signature, such as `sha256=`' }),
    secret_encoding: z.enum(['utf8', 'hex', 'base64']).default('utf8').meta({
      description:
        'Encoding of the signing secret: `utf8` uses its text as the key, `hex` and `base64` the decoded bytes',
    }),
    signed: z.string().max(500).default('{body}').meta({
      description:
        'The signed text. Contains `{body}`, and optionally `{timestamp}`, `{id}` (the headers named below), `{url}` (the complete address) and `{path}` (path and query). The last three need a separator that they cannot contain, such as a line break, between them and the body',
    }),
    timestamp_header: shownHeader(
      'Name of the header with the signed time: 10 digits, or 13 in milliseconds',
    ).optional(),
    timestamp_unit: z
      .enum(['seconds', 'milliseconds'])
      .default('seconds')
      .meta({ description: 'Unit of the time, counted from 1970' }),
    tolerance_seconds: toleranceSeconds,
    event_type_header: shownHeader(
      'Name of the header with the event type; if not set, it is read from the payload',
    ).optional(),
    event_id_header: shownHeader(
      'Name of the header with the event id; if not set, it is read from the payload',
    ).optional(),
  })
  .superRefine(({ signed, timestamp_header, event_id_header }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    // Every lower-case word in braces counts as a placeholder; other braces are literal text.
    const used = new Set(signed.match(/\{[a-z_]+\}/g) ?? []);
    const unknown = [...used].filter((name) => !placeholders.includes(name));
    if (unknown.length > 0)
      refuse('signed', `has unknown placeholders: ${unknown.join(', ')}; supported are ${placeholders.join(', ')}`);
    if (!used.has('{body}'))
      refuse('signed', 'must contain {body}; without it, a signature that was seen once would be valid for any body');
    if (used.has('{timestamp}') && timestamp_header === undefined) {
      refuse('timestamp_header', 'is required, because signed contains {timestamp}');
    }
    if (timestamp_header !== undefined && !used.has('{timestamp}')) {
      refuse('timestamp_header', 'requires {timestamp} in signed, because a time that is not signed can be forged');
    }
    if (used.has('{id}') && event_id_header === undefined)
      refuse('event_id_header', 'is required, because signed contains {id}');
  });

export type HmacConfig = z.infer<typeof hmacConfig>;
