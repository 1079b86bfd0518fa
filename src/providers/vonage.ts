import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { constantTimeEqual } from '../secrets/constant-time.ts';
import { storableText } from '../shared/text.ts';
import { bearerToken } from './bearer-token.ts';
import { dedupByIdAndBytes, generatedId, ownId } from './external-id.ts';
import { type Fields, identifierAt, stringField, topLevelFields } from './fields.ts';
import type { Provider, RejectionReason } from './provider.ts';
import { toleranceSeconds } from './provider-config.ts';
import { timelyVerdict } from './timestamp.ts';

const config = z.strictObject({
  tolerance_seconds: toleranceSeconds,
  application_id: z.string().min(1).max(100).optional().meta({
    description: 'Accept only webhooks of this Vonage application. All applications of an API key share its secret',
  }),
});

/** The id fields of Vonage's resources, the most specific first. */
const ids = ['message_uuid', 'request_id', 'recording_uuid', 'uuid', 'call_uuid', 'conversation_uuid'];

/**
 * Vonage's signed webhooks: `Authorization: Bearer <JWT>`, HS256 with the signature secret. The claim `payload_hash` is
 * the body's SHA-256, and `iat` the time. A token without `payload_hash` does not cover the body and is refused.
 *
 * Source: https://developer.vonage.com/en/getting-started/concepts/webhooks#decoding-signed-webhooks
 */
export const vonage: Provider<z.output<typeof config>> = {
  name: 'vonage',
  title: 'Vonage',
  verification: "A JWT with the body's hash",
  secret: {
    label: 'Signature secret',
    hint: 'Shown in the Vonage dashboard under "API settings" as "Signature secret"; not the API secret.',
  },
  config,
  secretHeaders: [],
  notKept: 'signature_not_stored',

  verify(request, { secret, config }) {
    const token = bearerToken(request.header('authorization') ?? '');
    if (!token) return { ok: false, reason: 'missing_signature' };
    const claims = claimsOf(token, secret, request.receivedAt, config.tolerance_seconds);
    if (typeof claims === 'string') return { ok: false, reason: claims };
    const { payload_hash, application_id, iat } = claims;
    if (typeof payload_hash !== 'string' || payload_hash === '') return { ok: false, reason: 'malformed_signature' };
    if (!constantTimeEqual(payload_hash.toLowerCase(), request.bodyHash())) {
      return { ok: false, reason: 'bad_signature' };
    }
    if (config.application_id !== undefined && application_id !== config.application_id) {
      return { ok: false, reason: 'bad_signature' };
    }
    return timelyVerdict({ ok: true }, iat === undefined ? null : String(iat), request, config);
  },

  /**
   * `message.<status>`, `message.received`, `call.<status>` or `verify.<type>`; otherwise the event's `type` or
   * `event`.
   */
  eventType(request) {
    const fields = topLevelFields(request);
    const type = fields && typeOf(fields);
    return storableText(type);
  },

  /** The id of the webhook's message, verification, recording or call. */
  externalId(request) {
    for (const name of ids) {
      const id = identifierAt(request, name);
      if (id !== null) return ownId(id);
    }
    // Events of a conversation are numbered within it.
    const conversation = identifierAt(request, 'conversation_id');
    const number = identifierAt(request, 'id');
    return conversation === null || number === null ? generatedId(request) : ownId(`${conversation}:${number}`);
  },

  dedupKey: dedupByIdAndBytes,
};

/** The claims of a token that was signed with `secret`, or the reason for its refusal. */
function claimsOf(
  token: string,
  secret: string,
  at: Date,
  clockTolerance: number,
): Readonly<Record<string, unknown>> | RejectionReason {
  try {
    // Given a string, jsonwebtoken would first try to parse it as a public key, which is the slowest step.
    const claims = jwt.verify(token, createSecretKey(secret, 'utf8'), {
      algorithms: ['HS256'],
      clockTimestamp: Math.floor(at.getTime() / 1000),
      clockTolerance,
    });
    return typeof claims === 'string' ? 'malformed_signature' : claims;
  } catch (error) {
    if (error instanceof jwt.TokenExpiredError || error instanceof jwt.NotBeforeError) return 'stale_timestamp';
    return error instanceof jwt.JsonWebTokenError && error.message === 'invalid signature'
      ? 'bad_signature'
      : 'malformed_signature';
  }
}

function typeOf(fields: Fields): string | null {
  const has = (name: string) => Object.hasOwn(fields, name);
  const type = stringField(fields, 'type');
  const status = stringField(fields, 'status');
  if (has('message_uuid')) return `message.${status ?? 'received'}`;
  if (has('request_id') && type !== null) return `verify.${type}`;
  if (has('conversation_uuid_from')) return 'call.transfer';
  if (type !== null) return type;
  if (has('recording_uuid')) return 'call.recording';
  if (has('dtmf') || has('speech')) return 'call.input';
  if (has('uuid') || has('call_uuid') || has('conversation_uuid')) return status === null ? null : `call.${status}`;
  return stringField(fields, 'event');
}
