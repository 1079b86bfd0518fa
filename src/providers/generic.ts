import { utf8HeaderValue } from '../shared/text.ts';
import { bearerToken } from './bearer-token.ts';
import { dedupByIdAndBytes } from './external-id.ts';
import type { InboundRequest } from './inbound-request.ts';
import { payloadId, payloadType } from './payload-fields.ts';
import type { Provider } from './provider.ts';
import { noConfig } from './provider-config.ts';
import { verifyLiteral } from './verification.ts';

/** Spec 5.2, in the order in which they are compared. */
const headersWithSecret = ['x-webhook-secret', 'x-api-key', 'x-secret', 'x-signature'];

/** Any sender with a shared secret, sent in a header, as a bearer token or in the URL (R31, R42, R44). */
export const generic: Provider = {
  name: 'generic',
  title: 'Anything with a shared secret',
  verification: 'A shared secret in a header, a bearer token or the address',
  secret: {
    label: 'Shared secret',
    hint: 'Any text. The sender includes it in a header, as a bearer token, or as the query parameter `key`.',
  },
  config: noConfig,
  secretHeaders: [...headersWithSecret, 'authorization'],
  notKept: 'secret_not_stored',

  verify(request, { secret }) {
    return verifyLiteral(offeredSecrets(request), secret);
  },

  eventType: payloadType,
  externalId: payloadId,
  dedupKey: dedupByIdAndBytes,
};

/** Every value that may be the secret, including those of repeated headers, in the order of R31. */
function offeredSecrets(request: InboundRequest): string[] {
  const offered: string[] = [];
  // A value that is not ASCII is compared both as latin1, as Node decodes headers, and as UTF-8, as most senders
  // encode.
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
