import { literalPattern, storableText, utf8HeaderValue } from '../shared/text.ts';
import { dedupByIdAndBytes, ownId } from './external-id.ts';
import { signedProblem } from './hmac-boundaries.ts';
import { type HmacConfig, hmacConfig } from './hmac-config.ts';
import { isReadOneWay, isWholeTime } from './hmac-reading.ts';
import { piecesOf, signedValues } from './hmac-text.ts';
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
  configProblem({ signed }) {
    const message = signedProblem(signed);
    return message === null ? null : { path: 'signed', message };
  },
  secretHeaders: [],

  compares: ({ header, signed }) => ({ header, address: /\{(?:url|path)\}/.test(signed) }),

  verify(request, { secret, config }) {
    const key = keyOf(secret, config);
    if (key === null) return { ok: false, reason: 'unusable_secret' };
    const values = request.headerValues(config.header).filter((value) => value !== '');
    if (values.length === 0) return { ok: false, reason: 'missing_signature' };
    const offered = values.flatMap((value) => signaturesIn(value, config.prefix));
    if (offered.length === 0) return { ok: false, reason: 'malformed_signature' };
    const timestamp = config.timestamp_header === undefined ? null : (request.header(config.timestamp_header) ?? '');
    if (timestamp === '') return { ok: false, reason: 'missing_timestamp' };
    const unit = config.timestamp_unit;
    const isWhole = timestamp === null || isWholeTime(timestamp, unit);
    const pieces = piecesOf(config.signed);
    const signed = signedValues(pieces, request, config);
    if (pieces.some((piece, at) => piece === '{id}' && holdsBody(String(signed[at]))))
      return { ok: false, reason: 'malformed_signature' };
    // With a time of another form the webhook is refused below.
    if (isWhole && !isReadOneWay({ pieces, values: signed, unit, target: request.url('') }))
      return { ok: false, reason: 'malformed_signature' };
    const bytes = signed.map((value) => (typeof value === 'string' ? Buffer.from(value, 'latin1') : value));
    const verdict = matchSignature(hmacOf(config.algorithm, key, bytes), offered, config.encoding);
    if (timestamp === null) return verdict;
    const timely = timelyVerdict(verdict, inSeconds(timestamp, config), request, config);
    return timely.ok && !isWhole ? { ok: false, reason: 'malformed_timestamp' } : timely;
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
  const signature = new RegExp(`${start}${literalPattern(prefix)}([^\\s,;]+)`, 'g');
  return [...value.matchAll(signature)].map((found) => found[1] ?? '');
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
