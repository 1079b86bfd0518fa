import { dedupById, generatedId, ownId } from './external-id.ts';
import { payloadType } from './payload-fields.ts';
import type { Provider } from './provider.ts';
import { timestampConfig } from './provider-config.ts';
import { keyBytes, type MessageKey, messageId, publicKeyOf, verifyMessage } from './standard-signature.ts';

/**
 * Standard Webhooks, as Svix, Clerk, Resend and many others sign: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature` (or `svix-…`), with a shared secret (`whsec_…`) or the sender's public key (`whpk_…`).
 *
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md,
 * https://docs.svix.com/receiving/verifying-payloads/how-manual
 */
export const standard: Provider<{ tolerance_seconds: number }> = {
  name: 'standard',
  title: 'Standard Webhooks',
  secret: {
    label: 'Signing secret or public key',
    hint: 'What the sender shows at the endpoint: a signing secret that begins with `whsec_`, or a public key that begins with `whpk_`.',
    problem(secret) {
      if (secret.startsWith('whsk_')) return "must be the public key (whpk_…), not the sender's private one";
      return keysOf(secret).length === 0 ? 'must be whpk_ and the 32 bytes of a public key in base64' : null;
    },
  },
  config: timestampConfig,
  secretHeaders: [],

  verify(request, { secret, config }) {
    const keys = keysOf(secret);
    if (keys.length === 0) return { ok: false, reason: 'unusable_secret' };
    return verifyMessage(request, keys, config);
  },

  eventType: payloadType,

  externalId(request) {
    const id = messageId(request);
    return id === null ? generatedId(request) : ownId(id);
  },

  dedupKey: dedupById,
};

/**
 * What may be behind a secret. Some senders show it without its prefix, and some (Polar) use the text itself as the
 * key, which may happen to be base64 as well: then it is tried as both.
 */
function keysOf(shown: string): MessageKey[] {
  // Supabase shows the version before it: `v1,whsec_…`.
  const secret = shown.startsWith('v1,') ? shown.slice('v1,'.length) : shown;
  if (secret.startsWith('whsk_')) return [];
  if (secret.startsWith('whpk_')) {
    const key = publicKeyOf(secret);
    return key ? [{ scheme: 'v1a', key }] : [];
  }
  const decoded = keyBytes(secret, 'whsec_');
  if (decoded) return [{ scheme: 'v1', key: decoded }];
  const readings = [keyBytes(secret, ''), Buffer.from(shown)];
  return readings.filter((key) => key !== null).map((key) => ({ scheme: 'v1', key }));
}
