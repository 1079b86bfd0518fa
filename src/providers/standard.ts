import { dedupById, ownOrGeneratedId } from './external-id.ts';
import { payloadType } from './payload-fields.ts';
import type { Provider } from './provider.ts';
import { timestampConfig } from './provider-config.ts';
import { keyBytes, type MessageKey, messageId, publicKeyOf, verifyMessage } from './standard-signature.ts';

/**
 * Standard Webhooks, used by Svix, Clerk, Resend and many others: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature` (or `svix-…`), with a shared secret (`whsec_…`) or the sender's public key (`whpk_…`).
 *
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md,
 * https://docs.svix.com/receiving/verifying-payloads/how-manual
 */
export const standard: Provider<{ tolerance_seconds: number }> = {
  name: 'standard',
  title: 'Standard Webhooks',
  verification: 'Standard Webhooks: HMAC-SHA256 or ed25519 over id, time and body',
  secret: {
    label: 'Signing secret or public key',
    hint: 'Shown by the sender in the settings of the endpoint: a signing secret that begins with `whsec_`, or a public key that begins with `whpk_`.',
    problem(secret) {
      const keys = keysOf(secret);
      return typeof keys === 'string' ? keys : null;
    },
  },
  config: timestampConfig,
  secretHeaders: [],

  verify(request, { secret, config }) {
    const keys = keysOf(secret);
    if (typeof keys === 'string') return { ok: false, reason: 'unusable_secret' };
    return verifyMessage(request, keys, config);
  },

  eventType: payloadType,

  externalId(request) {
    return ownOrGeneratedId(request, messageId(request));
  },

  dedupKey: dedupById,
};

/** Bytes. A shorter key could be guessed. The standard requires 24 bytes or more, but some senders use fewer. */
const minKeyLength = 16;

/**
 * The possible keys in a secret, or the reason why it is invalid. Some senders show the secret without its prefix.
 * Others (Polar) use the text itself as the key. A text without a prefix that is valid base64 is therefore tried as
 * both. A text with a prefix is never used as the key itself: a public key would then be a key that anyone may know.
 */
function keysOf(shown: string): MessageKey[] | string {
  // Supabase shows the secret with the version in front.
  const secret = shown.startsWith('v1,whsec_') ? shown.slice('v1,'.length) : shown;
  if (secret.startsWith('whsec_')) {
    const key = keyBytes(secret, 'whsec_');
    return key && key.length >= minKeyLength
      ? [{ scheme: 'v1', key }]
      : `must be whsec_ and ${minKeyLength} bytes or more in base64`;
  }
  if (secret.startsWith('whpk_')) {
    const key = publicKeyOf(secret);
    return key ? [{ scheme: 'v1a', key }] : 'must be whpk_ and the 32 bytes of a public key in base64';
  }
  if (/whsk_/i.test(secret)) return "must be the public key (whpk_…), not the sender's private one";
  if (/^v1,|whsec_|whpk_|-----BEGIN/i.test(secret)) return 'must be whsec_ or whpk_ and base64, and nothing else';
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'must be printable ASCII without spaces';
  const readings = [keyBytes(secret, ''), Buffer.from(secret)];
  return readings.filter((key) => key !== null).map((key) => ({ scheme: 'v1', key }));
}
