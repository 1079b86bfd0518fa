import { z } from 'zod';
import { toleranceSeconds } from './provider-config.ts';
import { alwaysSecret } from './stored-headers.ts';

/** A header name (RFC 9110, section 5.6.2). */
const headerName = (description: string) =>
  z
    .string()
    .max(100)
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be a header's name: letters, digits, - and _")
    .meta({ description });

/** The name of a header whose value is stored, shown and logged. */
const shownHeader = (description: string) =>
  headerName(description).refine(
    (name) => !alwaysSecret.has(name.toLowerCase()),
    'must not be a header with credentials: its value is stored and shown',
  );

/** The placeholders that `signed` may contain. */
const placeholders = ['body', 'timestamp', 'id', 'url', 'path'] as const;

const known = placeholders.map((name) => `{${name}}`);

/** The `provider_config` of `hmac`: how the sender signs, and where the event type and id are. */
export const hmacConfig = z
  .strictObject({
    header: headerName('The header with the signature'),
    algorithm: z
      .enum(['sha1', 'sha256', 'sha384', 'sha512'])
      .default('sha256')
      .meta({ description: 'The hash of the HMAC' }),
    encoding: z
      .enum(['hex', 'base64', 'base64url'])
      .default('hex')
      .meta({ description: 'How the signature is written' }),
    prefix: z
      .string()
      .max(50)
      .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')
      .default('')
      .meta({ description: 'What stands before each signature, as in `sha256=`' }),
    secret_encoding: z.enum(['utf8', 'hex', 'base64']).default('utf8').meta({
      description: 'How the signing secret is turned into the key: its text, or the bytes that it writes down',
    }),
    signed: z.string().max(500).default('{body}').meta({
      description:
        'What is signed: text with `{body}`, and if need be `{timestamp}`, `{id}` (the headers named below), `{url}` (the whole address) and `{path}` (path and query)',
    }),
    timestamp_header: shownHeader('The header with the time that is signed').optional(),
    timestamp_unit: z
      .enum(['seconds', 'milliseconds'])
      .default('seconds')
      .meta({ description: 'What the time counts since 1970' }),
    tolerance_seconds: toleranceSeconds,
    event_type_header: shownHeader('The header with the event type; without it, the payload has it').optional(),
    event_id_header: shownHeader('The header with the event id; without it, the payload has it').optional(),
  })
  .superRefine(({ signed, timestamp_header, event_id_header }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const used = new Set(signed.match(placeholderPattern) ?? []);
    const unknown = [...used].filter((name) => !known.includes(name));
    if (unknown.length > 0)
      refuse('signed', `has unknown placeholders: ${unknown.join(', ')}; there are ${known.join(', ')}`);
    if (!used.has('{body}'))
      refuse('signed', 'must have {body} in it, or anything could be sent under a signature once seen');
    if (used.has('{timestamp}') && timestamp_header === undefined) {
      refuse('timestamp_header', 'is required, because {timestamp} is in signed');
    }
    if (timestamp_header !== undefined && !used.has('{timestamp}')) {
      refuse('timestamp_header', 'counts only when {timestamp} is in signed: anyone can change a time that is not');
    }
    if (used.has('{id}') && event_id_header === undefined)
      refuse('event_id_header', 'is required, because {id} is in signed');
  });

export type HmacConfig = z.infer<typeof hmacConfig>;

/** Every lower-case word in braces counts as a placeholder; other braces are literal text. */
export const placeholderPattern = /\{[a-z_]+\}/g;
