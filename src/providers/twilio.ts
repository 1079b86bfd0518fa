import { z } from 'zod';
import { storableText } from '../shared/text.ts';
import { commonType, eventsIn } from './batch.ts';
import { constantTimeEqual } from './constant-time.ts';
import { dedupById, dedupByIdAndBytes, ownOrGeneratedId } from './external-id.ts';
import { stringField } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Provider, Verification } from './provider.ts';
import { hmac, matchSignature } from './signature.ts';
import { formEvent } from './twilio-form.ts';
import { possibleUrls } from './twilio-url.ts';

/** What operators paste who have the whole address at hand. */
const endsWithPath = /\/twilio\/[^/]+\/*$/;

const config = z.strictObject({
  public_url: z
    .string()
    .max(1000)
    .refine(isBase, 'must be an http: or https: address without user, query, fragment or spaces')
    .refine((url) => !endsWithPath.test(url), 'must not have /twilio/{account_slug} at its end, which is added to it')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .meta({
      description: "What stands before /twilio/{account_slug} in the address that Twilio has, if not the gateway's own",
    }),
});

/**
 * Twilio: `X-Twilio-Signature`, base64 of HMAC-SHA1 over the address and, sorted and with nothing between them, names
 * and values of the form's parameters. Of other bodies (JSON) the address holds SHA-256, as `bodySHA256`.
 *
 * Source: https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
export const twilio: Provider<z.output<typeof config>> = {
  name: 'twilio',
  title: 'Twilio',
  secret: {
    label: 'Auth token',
    hint: 'The primary auth token of the Twilio account, shown in the console under "API keys & tokens"; 32 hexadecimal digits.',
  },
  config,
  secretHeaders: [],

  verify(request, { secret, config }) {
    const offered = request.headerValues('x-twilio-signature');
    const parameters = signedParameters(request);
    let verdict: Verification = { ok: false, reason: 'missing_signature' };
    for (const url of possibleUrls(request.url(config.public_url))) {
      verdict = matchSignature(hmac('sha1', secret, [url, parameters ?? '']), offered, 'base64');
      if (verdict.ok) break;
    }
    // The address is signed, but this body is none that came with it.
    return verdict.ok && parameters === null ? { ok: false, reason: 'bad_signature' } : verdict;
  },

  /** Twilio takes the answer to a call or a message for instructions (TwiML): these are none. */
  acknowledge: (request) =>
    formOf(request) ? { status: 202, reply: { contentType: 'text/xml', body: '<Response></Response>' } } : null,

  /** `message.delivered`, `call.completed` and the like; the `type` of Event Streams, or `mixed`. */
  eventType(request) {
    const form = formOf(request);
    const type = form ? formEvent(form).type : commonType(eventsIn(request).map((event) => stringField(event, 'type')));
    return storableText(type);
  },

  /** The SID of the message, call or other thing; the first `id` of Event Streams. */
  externalId(request) {
    const form = formOf(request);
    const id = form
      ? (formEvent(form).sid ?? request.header(tokenHeader))
      : eventIds(request).find((one) => one !== '');
    return ownOrGeneratedId(request, id);
  },

  /**
   * Event Streams goes by ids, a batch by its bytes too. Forms go by the token that stays the same when Twilio tries again: the
   * SID is that of the call, and pressing the same key twice makes two equal bodies.
   */
  dedupKey(request, externalId) {
    if (formOf(request)) {
      const token = request.header(tokenHeader);
      return token ? dedupByIdAndBytes(request, { ...externalId, id: token }) : null;
    }
    return eventIds(request).length === 1 ? dedupById(request, externalId) : dedupByIdAndBytes(request, externalId);
  },
};

/** Of JSON alone; of a form the parameters themselves are signed. */
const bodyHashParameter = 'bodySHA256';

const tokenHeader = 'i-twilio-idempotency-token';

/** The address is signed, the content type is not: whoever changes that must not make a repeat look new. */
function formOf(request: InboundRequest): URLSearchParams | null {
  return request.query.has(bodyHashParameter) ? null : request.form();
}

function eventIds(request: InboundRequest): string[] {
  return eventsIn(request).map((event) => stringField(event, 'id') ?? '');
}

function isBase(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && !/[?#\s]/.test(text);
}

/** What is signed behind the address, or null when the body is not what the address says, or is not covered by it. */
function signedParameters(request: InboundRequest): string | null {
  const bodyHash = request.query.get(bodyHashParameter);
  if (bodyHash !== null) return constantTimeEqual(bodyHash, request.bodyHash()) ? '' : null;
  const form = request.form();
  if (form) return sortedParameters(form);
  return request.body.length === 0 ? '' : null;
}

/** As Twilio's library has it: sorted by UTF-16 units, of a name's equal values only one. */
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
