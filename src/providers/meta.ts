import { z } from 'zod';
import { constantTimeEqual } from '../secrets/constant-time.ts';
import { storableText } from '../shared/text.ts';
import { dedupByIdAndBytes, generatedId, ownId } from './external-id.ts';
import { stringField, topLevelFields } from './fields.ts';
import { verifyHubSignature } from './hub-signature.ts';
import { metaChangeId, metaChanges } from './meta-changes.ts';
import type { Provider } from './provider.ts';

const metaConfig = z.strictObject({
  verify_token: z.string().min(1).max(255).optional().meta({
    description: 'The "Verify token" of the app\'s webhook settings; required before Meta accepts the address',
    writeOnly: true,
  }),
});

/**
 * Meta (Facebook, Instagram, Messenger, WhatsApp): `X-Hub-Signature-256: sha256=<hex>`, HMAC-SHA256 over the body with
 * the app's secret. Meta signs the bytes that it sends, in which characters beyond ASCII are escaped, such as `\u00e4`.
 *
 * Source: https://developers.facebook.com/docs/graph-api/webhooks/getting-started
 */
export const meta: Provider<z.infer<typeof metaConfig>> = {
  name: 'meta',
  title: 'Meta (Facebook, Instagram, Messenger, WhatsApp)',
  verification: 'HMAC-SHA256 of the body; answers hub.challenge',
  secret: {
    label: 'App secret',
    hint: 'Shown in the App Dashboard under "App settings", "Basic"; with Instagram login, the Instagram app secret.',
  },
  config: metaConfig,
  secretHeaders: [],

  verify: (request, { secret }) => verifyHubSignature(request, secret, 'x-hub-signature-256', 'sha256'),

  /** `<object>.<field>`, such as `page.feed`; only the object when a batch has several different fields. */
  eventType(request) {
    const notification = topLevelFields(request);
    const object = notification && stringField(notification, 'object');
    if (!object) return null;
    let only: string | null = null;
    for (const { field } of metaChanges(notification)) {
      if (only !== null && field !== only) return storableText(object);
      only = field;
    }
    return storableText(only === null ? object : `${object}.${only}`);
  },

  /** The id of the first change that has one. Notifications have no id of their own. */
  externalId(request) {
    const notification = topLevelFields(request);
    for (const change of notification ? metaChanges(notification) : []) {
      const id = metaChangeId(change);
      if (id) return ownId(id);
    }
    return generatedId(request);
  },

  /**
   * By id and bytes: another batch may begin with the same message, and one message may cause several notifications.
   */
  dedupKey: dedupByIdAndBytes,

  /** Meta treats every status but 200 as a failure: it sends again, and finally disables the subscription. */
  acknowledge: () => ({ status: 200 }),

  handshake({ query }, { verify_token }) {
    const challenge = query.get('hub.challenge');
    if (verify_token === undefined || query.get('hub.mode') !== 'subscribe' || !challenge) return { ok: false };
    if (!constantTimeEqual(query.get('hub.verify_token') ?? '', verify_token)) return { ok: false };
    return { ok: true, answer: { status: 200, contentType: 'text/plain; charset=utf-8', body: challenge } };
  },
};
