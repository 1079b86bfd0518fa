import { dedupByIdAndBytes, generatedId, ownId } from './external-id.ts';
import { identifierAt, stringField, topLevelFields } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Provider } from './provider.ts';
import { noConfig } from './provider-config.ts';
import { storableText, utf8HeaderValue } from './text.ts';
import { verifyLiteral } from './verification.ts';

/** Spec 5.2, in the order in which they are compared. */
const headersWithSecret = ['x-webhook-secret', 'x-api-key', 'x-secret', 'x-signature'];

/** Spec 6.2; its last candidate `uuid_id` is read as `uuid`, then `_id`. */
const idFields = ['id', 'messageId', 'message_id', 'eventId', 'event_id', 'uuid', '_id'];

const typeFields = ['type', 'event', 'event_type', 'eventType'];

/** Anything that can send a shared secret: in a header, as a bearer token or in the URL (spec 5.2, 6.1, 6.2). */
export const generic: Provider = {
  name: 'generic',
  title: 'Anything with a shared secret',
  secret: {
    label: 'Shared secret',
    hint: 'Any text that the sender puts into a header, a bearer token or the parameter `key` of the address.',
  },
  config: noConfig,
  secretHeaders: [...headersWithSecret, 'authorization'],

  verify(request, { secret }) {
    return verifyLiteral(offeredSecrets(request), secret);
  },

  /** The first string among `type`, `event`, `event_type` and `eventType`, as sent but for its length. */
  eventType(request) {
    const fields = topLevelFields(request);
    if (!fields) return null;
    for (const name of typeFields) {
      const type = stringField(fields, name);
      if (type !== null) return storableText(type);
    }
    return null;
  },

  /** The first field that holds a non-empty string or a number; arrays, forms, XML and the like get a `gen-` id. */
  externalId(request) {
    for (const name of idFields) {
      const id = identifierAt(request, name);
      if (id !== null) return ownId(id);
    }
    return generatedId(request);
  },

  dedupKey: dedupByIdAndBytes,
};

/** Every value that could be the secret, those of repeated headers included, in the order of spec 5.2. */
function offeredSecrets(request: InboundRequest): string[] {
  const offered: string[] = [];
  // A secret beyond ASCII is compared both as the bytes that came and as the UTF-8 that they are likely to be.
  const offer = (value: string) => {
    offered.push(value);
    const decoded = utf8HeaderValue(value);
    if (decoded !== value) offered.push(decoded);
  };
  for (const name of headersWithSecret) request.headerValues(name).forEach(offer);
  for (const value of request.headerValues('authorization')) {
    const token = bearerToken(value);
    if (token !== null) offer(token);
  }
  offered.push(...request.queryValues('key'));
  return offered;
}

/** The scheme's case does not matter and more than one space may follow it (RFC 9110, 11.1 and 11.4). */
function bearerToken(authorization: string): string | null {
  return /^bearer /i.test(authorization) ? authorization.slice('bearer '.length).trim() : null;
}
