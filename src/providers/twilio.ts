import { z } from 'zod';
import { constantTimeEqual } from '../secrets/constant-time.ts';
import { storableText } from '../shared/text.ts';
import { commonType, dedupBatch, eventsIn, firstId } from './batch.ts';
import { dedupByIdAndBytes, ownOrGeneratedId } from './external-id.ts';
import { stringField } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Provider, Verification } from './provider.ts';
import { hmac, matchSignature } from './signature.ts';
import { formEvent } from './twilio-form.ts';
import { possibleUrls } from './twilio-url.ts';

/** Operators may paste the whole address, which already ends with the path. */
const endsWithPath = /\/twilio\/[^/]+\/*$/;

const config = z.strictObject({
  public_url: z
    .string()
    .max(1000)
    .refine(isBase, 'must be an http: or https: address without user, query, fragment or spaces')
    .refine((url) => !endsWithPath.test(url), 'must not end with /twilio/{account_slug}, which the gateway adds')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .meta({
      description:
        "Base URL before /twilio/{account_slug} in the address that is configured at Twilio; defaults to the gateway's own",
    }),
});

/**
 * Twilio: `X-Twilio-Signature`, base64 of HMAC-SHA1 over the URL and the form's sorted parameters, concatenated without
 * separators. For other bodies (JSON), the URL has the body's SHA-256 in the parameter `bodySHA256`. With a shared key
 * in place of the auth token, the HMAC is that of the algorithm that another header names.
 *
 * Source: https://www.twilio.com/docs/usage/webhooks/webhooks-security and
 * https://www.twilio.com/docs/usage/webhooks/webhook-shared-keys
 */
export const twilio: Provider<z.output<typeof config>> = {
  name: 'twilio',
  title: 'Twilio',
  verification: 'HMAC-SHA1 over address and form; HMAC-SHA256 with a shared key',
  secret: {
    label: 'Auth token',
    hint: 'The primary auth token of the Twilio account, shown in the console under "API keys & tokens" (32 hexadecimal digits), or the secret of the shared key that a webhook rule signs with.',
  },
  config,
  secretHeaders: [],

  compares: () => ({ address: true }),
  targetOf: (path, request) => (request.form() ? path : `${path}?${bodyHashParameter}=${request.bodyHash()}`),

  verify(request, { secret, config }) {
    const offered = request.headerValues('x-twilio-signature');
    const parameters = signedParameters(request);
    const algorithm = algorithmOf(request);
    let verdict: Verification = { ok: false, reason: 'missing_signature' };
    for (const url of possibleUrls(request.url(config.public_url))) {
      verdict = matchSignature(hmac(algorithm, secret, [url, parameters ?? '']), offered, 'base64');
      if (verdict.ok) break;
    }
    // The signature covers the URL, but not this body.
    return verdict.ok && parameters === null ? { ok: false, reason: 'bad_signature' } : verdict;
  },

  /** Twilio executes the response to a call or a message as instructions (TwiML). An empty TwiML does nothing. */
  acknowledge: (request) =>
    formOf(request) ? { status: 202, reply: { contentType: 'text/xml', body: '<Response></Response>' } } : null,

  /** Forms: for example `message.delivered` or `call.completed`. Event Streams: their common `type`, or `mixed`. */
  eventType(request) {
    const form = formOf(request);
    const type = form ? formEvent(form).type : commonType(eventsIn(request).map((event) => stringField(event, 'type')));
    return storableText(type);
  },

  /** Forms: the SID of the message, call or other subject. Event Streams: the first `id`. */
  externalId(request) {
    const form = formOf(request);
    const id = form ? (formEvent(form).sid ?? request.header(tokenHeader)) : firstId(request, 'id');
    return ownOrGeneratedId(request, id);
  },

  /**
   * Event Streams: by id, and for a batch also by bytes. Forms: by the idempotency token, which Twilio's retries share.
   * The SID is that of the whole call, and pressing the same key twice sends two equal bodies.
   */
  dedupKey(request, externalId) {
    if (!formOf(request)) return dedupBatch(request, externalId);
    const token = request.header(tokenHeader);
    return token ? dedupByIdAndBytes(request, { ...externalId, id: token }) : null;
  },
};

/** Only for JSON bodies; the parameters of a form are signed directly. */
const bodyHashParameter = 'bodySHA256';

const tokenHeader = 'i-twilio-idempotency-token';

/** The algorithm that this header names, as in `key=<id>,algorithm=HMAC_SHA256`. A webhook that a shared key signs has the header. */
function algorithmOf(request: InboundRequest): 'sha1' | 'sha256' {
  const settings = request.header('x-twilio-webhooks-signature-settings') ?? '';
  return /(?:^|,)\s*algorithm=HMAC_SHA256\s*(?:,|$)/i.test(settings) ? 'sha256' : 'sha1';
}

/**
 * The URL is signed, the content type is not. An attacker who changes the content type cannot make a repeat look new.
 */
function formOf(request: InboundRequest): URLSearchParams | null {
  return request.query.has(bodyHashParameter) ? null : request.form();
}

function isBase(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && !/[?#\s]/.test(text);
}

/** The signed text after the URL; null when the body does not match `bodySHA256` or is not signed at all. */
function signedParameters(request: InboundRequest): string | null {
  const bodyHash = request.query.get(bodyHashParameter);
  if (bodyHash !== null) return constantTimeEqual(bodyHash, request.bodyHash()) ? '' : null;
  const form = request.form();
  if (form) return sortedParameters(form);
  return request.body.length === 0 ? '' : null;
}

/** As in Twilio's library: sorted by UTF-16 code units, with equal values of one name only once. */
function sortedParameters(form: URLSearchParams): string {
  const valuesByName = new Map<string, Set<string>>();
  for (const [name, value] of form) {
    const values = valuesByName.get(name);
    if (values) values.add(value);
    else valuesByName.set(name, new Set([value]));
  }
  return [...valuesByName.keys()]
    .sort()
    .flatMap((name) => [...(valuesByName.get(name) ?? [])].sort().map((value) => name + value))
    .join('');
}
