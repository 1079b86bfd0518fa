import { storableText } from '../shared/text.ts';
import { dedupById, ownOrGeneratedId } from './external-id.ts';
import { identifierAt, topLevelText } from './fields.ts';
import type { Provider } from './provider.ts';
import { timestampConfig } from './provider-config.ts';
import { afterPrefix, hmac, matchSignature } from './signature.ts';
import { timelyVerdict } from './timestamp.ts';

/** The whole text, including the prefix, is the key. With the prefix alone, anyone could sign. */
const form = /^whsec_[A-Za-z0-9+/=_-]{16,}$/;

/**
 * Stripe: `Stripe-Signature: t=<seconds>,v1=<hex>`, HMAC-SHA256 over `<seconds>.<body>`. During a rotation of the
 * secret there is one `v1` for each of the two secrets.
 *
 * Source: https://docs.stripe.com/webhooks/signature
 */
export const stripe: Provider<{ tolerance_seconds: number }> = {
  name: 'stripe',
  title: 'Stripe',
  verification: 'HMAC-SHA256 over time and body',
  secret: {
    label: 'Signing secret',
    hint: 'Shown in the Stripe dashboard, in the settings of the endpoint under "Signing secret"; it begins with `whsec_`.',
    problem(secret) {
      if (!secret.startsWith('whsec_')) return 'must begin with whsec_';
      return form.test(secret) ? null : 'must have 16 characters or more after whsec_: letters, digits and + / = _ -';
    },
  },
  config: timestampConfig,
  secretHeaders: [],

  verify(request, { secret, config }) {
    if (!form.test(secret)) return { ok: false, reason: 'unusable_secret' };
    const header = request.header('stripe-signature');
    if (header === null) return { ok: false, reason: 'missing_signature' };
    const fields = header.split(',').map((field) => field.trim());
    const [timestamp] = afterPrefix(fields, 't=');
    const offered = afterPrefix(fields, 'v1=');
    if (offered.length === 0) return { ok: false, reason: 'malformed_signature' };
    const expected = hmac('sha256', secret, [`${timestamp ?? ''}.`, request.body]);
    return timelyVerdict(matchSignature(expected, offered, 'hex'), timestamp, request, config);
  },

  eventType(request) {
    return storableText(topLevelText(request, 'type'));
  },

  externalId(request) {
    return ownOrGeneratedId(request, identifierAt(request, 'id'));
  },

  dedupKey: dedupById,
};
