import { storableText } from '../shared/text.ts';
import { dedupById, ownOrGeneratedId } from './external-id.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Provider } from './provider.ts';
import { noConfig } from './provider-config.ts';
import { hmac, matchSignature } from './signature.ts';

/**
 * Shopify: `X-Shopify-Hmac-Sha256: <base64>`, HMAC-SHA256 over the body. Shopify's newer Events have the same headers
 * without `X-`. The headers with the topic and the delivery id are not signed.
 *
 * Source: https://shopify.dev/docs/apps/build/webhooks/verify-deliveries and
 * https://shopify.dev/docs/apps/build/events/delivery-structure
 */
export const shopify: Provider = {
  name: 'shopify',
  title: 'Shopify',
  verification: 'HMAC-SHA256 of the body',
  secret: {
    label: 'Client secret',
    hint: "The app's client secret (API secret key); for webhooks created in the shop's settings, the key shown there.",
  },
  config: noConfig,
  secretHeaders: [],

  verify(request, { secret }) {
    const offered = headerValues(request, 'hmac-sha256');
    if (offered.length === 0) return { ok: false, reason: 'missing_signature' };
    return matchSignature(hmac('sha256', secret, [request.body]), offered, 'base64');
  },

  eventType(request) {
    const [topic] = headerValues(request, 'topic');
    if (!topic) return null;
    // Only Events have an action, such as `update`; their topic is the changed resource, such as `Product`.
    const action = request.header('shopify-action');
    return storableText(action ? `${topic}/${action}` : topic);
  },

  externalId(request) {
    // Not the event id: one change may cause webhooks of several topics, which share the event id.
    const [id] = headerValues(request, 'webhook-id');
    return ownOrGeneratedId(request, id);
  },

  dedupKey: dedupById,
};

/** The values of the headers `X-Shopify-<name>` and `Shopify-<name>`. */
function headerValues(request: InboundRequest, name: string): string[] {
  return ['x-shopify-', 'shopify-'].flatMap((prefix) => request.headerValues(prefix + name));
}
