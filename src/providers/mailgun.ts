import { createHash } from 'node:crypto';
import { oncePer } from '../shared/once-per.ts';
import { storableText } from '../shared/text.ts';
import { ownOrGeneratedId } from './external-id.ts';
import { asFields, type Fields, identifierAt, objectField, ownField, stringField, topLevelFields } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';
import { multipartForm } from './multipart-form.ts';
import type { Provider } from './provider.ts';
import { timestampConfig } from './provider-config.ts';
import { hmac, matchSignature } from './signature.ts';
import { timelyVerdict } from './timestamp.ts';

/** Mailgun's webhook names for the two severities of `failed`. */
const failures = new Map([
  ['permanent', 'permanent_fail'],
  ['temporary', 'temporary_fail'],
]);

/**
 * Mailgun: HMAC-SHA256 in hexadecimal over timestamp and token, concatenated. All three are in the body: in the object
 * `signature` of JSON, or in form fields for routes. Nothing else in the body is signed. Only the token distinguishes a
 * new event from a repeated or modified one.
 *
 * Source: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
export const mailgun: Provider<{ tolerance_seconds: number }> = {
  name: 'mailgun',
  title: 'Mailgun',
  verification: 'HMAC-SHA256 of time and token',
  secret: {
    label: 'HTTP webhook signing key',
    hint: 'Shown in the Mailgun dashboard under "API security"; not an API key.',
  },
  config: timestampConfig,
  secretHeaders: [],

  verify(request, { secret, config }) {
    const { timestamp, token, signatures } = signatureOf(request);
    if (signatures.length === 0) return { ok: false, reason: 'missing_signature' };
    if (token === null) return { ok: false, reason: 'malformed_signature' };
    const verdict = matchSignature(hmac('sha256', secret, [timestamp ?? '', token]), signatures, 'hex');
    return timelyVerdict(verdict, timestamp, request, config);
  },

  /** The `event` of the event's data; `permanent_fail` or `temporary_fail` for `failed`; `inbound` for routed mail. */
  eventType(request) {
    const form = formOf(request);
    const type = form ? (form.get('event') ?? (form.has('recipient') ? 'inbound' : null)) : jsonType(request);
    return storableText(type);
  },

  /** Mailgun treats every status but 200 as a failure and sends the webhook again. */
  acknowledge: () => ({ status: 200 }),

  /** The event's id; the message's id for routed mail; otherwise the token. */
  externalId(request) {
    const form = formOf(request);
    const id = form ? form.get('Message-Id') : identifierAt(request, 'event-data', 'id');
    return ownOrGeneratedId(request, id || signatureOf(request).token);
  },

  /** By the token: Mailgun's event ids are unique only within a day, and message ids are not unique. */
  dedupKey(request) {
    const { token } = signatureOf(request);
    return token === null ? null : createHash('sha256').update(token).digest();
  },
};

type Signature = { timestamp: string | null; token: string | null; signatures: string[] };

/**
 * The signature in the body, read once for each request. Webhooks of subaccounts also have the parent account's
 * signature.
 */
const signatureOf = oncePer((request: InboundRequest): Signature => {
  const form = formOf(request);
  const fields = form ? null : objectField(asFields(request.unverifiedJson()) ?? {}, 'signature');
  const field = (name: string) => (form ? form.get(name) : stringField(fields ?? {}, name)) || null;
  return {
    timestamp: field('timestamp') ?? (fields && wholeNumber(fields, 'timestamp')),
    token: field('token'),
    signatures: [field('signature'), field('parent-signature')].filter((value) => value !== null),
  };
});

/** Some webhooks have the time as a number instead of a string. */
function wholeNumber(fields: Fields, name: string): string | null {
  const value = ownField(fields, name);
  return Number.isSafeInteger(value) ? String(value) : null;
}

function formOf(request: InboundRequest): URLSearchParams | null {
  return request.form() ?? multipartForm(request);
}

function jsonType(request: InboundRequest): string | null {
  const fields = topLevelFields(request);
  const data = fields && objectField(fields, 'event-data');
  const event = data && stringField(data, 'event');
  if (!data || event !== 'failed') return event;
  return failures.get(stringField(data, 'severity') ?? '') ?? event;
}
