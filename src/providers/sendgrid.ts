import { createVerify } from 'node:crypto';
import { storableText } from '../shared/text.ts';
import { commonType, dedupBatch, eventsIn, firstId } from './batch.ts';
import { ownOrGeneratedId } from './external-id.ts';
import { stringField } from './fields.ts';
import { p256Key } from './p256-key.ts';
import type { Provider, Verification } from './provider.ts';
import { timestampConfig } from './provider-config.ts';
import { signatureBytes } from './signature.ts';
import { timelyVerdict } from './timestamp.ts';

/** An ECDSA signature on P-256 in DER: two integers of at most 33 bytes. */
const maxSignatureBytes = 72;

/**
 * Twilio SendGrid's Event Webhook: ECDSA with SHA-256 on P-256 over timestamp and body, concatenated. The account's
 * secret is a public key, which can verify but not sign. One webhook contains up to hundreds of events as a JSON array,
 * and is one event in the gateway.
 *
 * Source:
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
 */
export const sendgrid: Provider<{ tolerance_seconds: number }> = {
  name: 'sendgrid',
  title: 'SendGrid',
  verification: 'ECDSA over time and body',
  secret: {
    label: 'Verification key',
    hint: 'The public key that SendGrid shows under "Signature Verification" of the Event Webhook; base64 that begins with `MFkw`.',
    problem: (secret) => (p256Key(secret) ? null : 'must be the public key that SendGrid shows, in base64'),
  },
  config: timestampConfig,
  secretHeaders: [],

  verify(request, { secret, config }) {
    const key = p256Key(secret);
    if (!key) return { ok: false, reason: 'unusable_secret' };
    const header = request.header('x-twilio-email-event-webhook-signature') ?? '';
    if (header === '') return { ok: false, reason: 'missing_signature' };
    const signature = signatureBytes(header, 'base64');
    if (!signature || signature.length > maxSignatureBytes) return { ok: false, reason: 'malformed_signature' };
    const timestamp = request.header('x-twilio-email-event-webhook-timestamp') ?? '';
    // The timestamp is part of the signed text, so the signature cannot be checked without it.
    if (timestamp === '') return { ok: false, reason: 'missing_timestamp' };
    const signed = createVerify('sha256').update(timestamp, 'latin1').update(request.body);
    const verdict: Verification = signed.verify(key, signature) ? { ok: true } : { ok: false, reason: 'bad_signature' };
    return timelyVerdict(verdict, timestamp, request, config);
  },

  /** The `event` that all events share, or `mixed`. */
  eventType(request) {
    const type = commonType(eventsIn(request).map((event) => stringField(event, 'event')));
    return storableText(type);
  },

  /** The first `sg_event_id`. */
  externalId(request) {
    return ownOrGeneratedId(request, firstId(request, 'sg_event_id'));
  },

  dedupKey: dedupBatch,
};
