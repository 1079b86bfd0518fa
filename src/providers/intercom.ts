import { storableText } from '../shared/text.ts';
import { dedupById, ownOrGeneratedId } from './external-id.ts';
import { identifierAt, topLevelText } from './fields.ts';
import { verifyHubSignature } from './hub-signature.ts';
import type { Provider } from './provider.ts';
import { noConfig } from './provider-config.ts';

/**
 * Intercom: `X-Hub-Signature: sha1=<hex>`, HMAC-SHA1 over the body. Intercom offers no other signature. Collisions of a
 * hash do not break its HMAC (RFC 6151, section 2.3, explains this for MD5).
 *
 * Source: https://developers.intercom.com/docs/webhooks/webhook-notifications and
 * https://developers.intercom.com/docs/webhooks/setting-up-webhooks
 */
export const intercom: Provider = {
  name: 'intercom',
  title: 'Intercom',
  verification: 'HMAC-SHA1 of the body',
  secret: {
    label: 'Client secret',
    hint: 'Shown in the Developer Hub, in the settings of the app under "Basic information".',
  },
  config: noConfig,
  secretHeaders: [],

  verify: (request, { secret }) => verifyHubSignature(request, secret, 'x-hub-signature', 'sha1'),

  eventType(request) {
    return storableText(topLevelText(request, 'topic'));
  },

  externalId(request) {
    return ownOrGeneratedId(request, identifierAt(request, 'id'));
  },

  /** By the id alone: `delivery_attempts` in the body counts the resends. */
  dedupKey: dedupById,

  /**
   * Intercom sends a HEAD request before it saves an address. Nothing in it identifies Intercom, so every one passes.
   */
  handshake: () => ({ ok: true, answer: { status: 200, contentType: 'text/plain; charset=utf-8', body: '' } }),
};
