import { storableText, utf8HeaderValue } from '../shared/text.ts';
import { dedupByIdAndBytes, ownId } from './external-id.ts';
import { type HmacConfig, hmacConfig, placeholderPattern } from './hmac-config.ts';
import type { InboundRequest } from './inbound-request.ts';
import { payloadId, payloadType } from './payload-fields.ts';
import type { Provider } from './provider.ts';
import { hmac as hmacOf, matchSignature, signatureBytes } from './signature.ts';
import { holdsBody } from './signed-id.ts';
import { timelyVerdict } from './timestamp.ts';

/** Any sender that signs with an HMAC. `provider_config` describes how. */
export const hmac: Provider<HmacConfig> = {
  name: 'hmac',
  title: 'Anything that signs by HMAC',
  verification: 'An HMAC that the account describes: header, algorithm, encoding and what is signed',
  secret: {
    label: 'Signing secret',
    hint: 'The key that the sender signs with: text, hexadecimal or base64, as `secret_encoding` says.',
    problem(secret, config) {
      if (config === undefined || keyOf(secret, config) !== null) return null;
      return config.secret_encoding === 'hex'
        ? 'must be hexadecimal digits, two for each byte, as secret_encoding says'
        : 'must be base64, as secret_encoding says';
    },
  },
  config: hmacConfig,
  secretHeaders: [],

  verify(request, { secret, config }) {
    const key = keyOf(secret, config);
    if (key === null) return { ok: false, reason: 'unusable_secret' };
    const values = request.headerValues(config.header).filter((value) => value !== '');
    if (values.length === 0) return { ok: false, reason: 'missing_signature' };
    const offered = values.flatMap((value) => signaturesIn(value, config.prefix));
    if (offered.length === 0) return { ok: false, reason: 'malformed_signature' };
    const timestamp = config.timestamp_header === undefined ? null : (request.header(config.timestamp_header) ?? '');
    if (timestamp === '') return { ok: false, reason: 'missing_timestamp' };
    if (!isWholeId(request, config)) return { ok: false, reason: 'malformed_signature' };
    const expected = hmacOf(config.algorithm, key, signedParts(request, config, timestamp));
    const verdict = matchSignature(expected, offered, config.encoding);
    return timestamp === null ? verdict : timelyVerdict(verdict, inSeconds(timestamp, config), request, config);
  },

  eventType(request, { event_type_header }) {
    const type = named(request, event_type_header);
    return type === null ? payloadType(request) : storableText(type);
  },

  externalId(request, { event_id_header }) {
    const id = named(request, event_id_header);
    return id === null ? payloadId(request) : ownId(id);
  },

  /** It is unknown whether the ids of this sender are unique. */
  dedupKey: dedupByIdAndBytes,
};

function keyOf(secret: string, { secret_encoding }: HmacConfig): string | Uint8Array | null {
  return secret_encoding === 'utf8' ? secret : signatureBytes(secret, secret_encoding);
}

/** The signatures in one header value: each `<prefix><signature>`, separated by commas, semicolons or spaces. */
function signaturesIn(value: string, prefix: string): string[] {
  // A prefix of letters may also occur inside a signature, so it has to follow a separator.
  const start = /^[A-Za-z0-9+/_-]/.test(prefix) ? '(?<![A-Za-z0-9+/_-])' : '';
  const signature = new RegExp(`${start}${RegExp.escape(prefix)}([^\\s,;]+)`, 'g');
  return [...value.matchAll(signature)].map((found) => found[1] ?? '');
}

/**
 * Whether the boundary between a signed id and the text after it is unambiguous. Id, time and body are signed as one
 * text. If the id contained characters of a body, or a time in the form of the one after it, an attacker could move the
 * end of the id into what follows.
 */
function isWholeId(request: InboundRequest, { signed, event_id_header, timestamp_unit }: HmacConfig): boolean {
  if (event_id_header === undefined || !signed.includes('{id}')) return true;
  const id = request.header(event_id_header) ?? '';
  if (holdsBody(id)) return false;
  const [, between, after = ''] = /\{id\}(.*?)\{timestamp\}([^{]*)/s.exec(signed) ?? [];
  // If nothing separates id and time, any long number in an id would look like a time.
  if (!between || between.includes('{body}')) return true;
  // Seconds have ten digits until the year 2286. Fewer digits would match parts of UUIDs.
  const time = timestamp_unit === 'seconds' ? '\\d{10}' : '\\d{13}';
  return !new RegExp(`${RegExp.escape(between)}${time}(?:${RegExp.escape(after)}|$)`).test(id);
}

/** The signed text in parts, so that the body need not be copied. */
function signedParts(
  request: InboundRequest,
  { signed, event_id_header }: HmacConfig,
  timestamp: string | null,
): (string | Uint8Array)[] {
  // Node decodes headers as latin1: one character for each byte.
  const header = (value: string | null) => Buffer.from(value ?? '', 'latin1');
  const parts: (string | Uint8Array)[] = [];
  let at = 0;
  for (const { 0: placeholder, index } of signed.matchAll(placeholderPattern)) {
    parts.push(signed.slice(at, index));
    at = index + placeholder.length;
    if (placeholder === '{body}') parts.push(request.body);
    else if (placeholder === '{timestamp}') parts.push(header(timestamp));
    else if (placeholder === '{id}')
      parts.push(header(event_id_header === undefined ? null : request.header(event_id_header)));
    else if (placeholder === '{url}') parts.push(request.url());
    else if (placeholder === '{path}') parts.push(request.url(''));
  }
  parts.push(signed.slice(at));
  return parts;
}

/** The timestamp in whole seconds. Text that is not a number is returned unchanged. */
function inSeconds(timestamp: string, { timestamp_unit }: HmacConfig): string {
  return timestamp_unit === 'milliseconds' ? timestamp.replace(/^(\d+)\d{3}$/, '$1') : timestamp;
}

/** The value of the header that the account's config names; null when no header is named or the header is missing. */
function named(request: InboundRequest, header: string | undefined): string | null {
  const value = header === undefined ? null : request.header(header);
  return value ? utf8HeaderValue(value) : null;
}
