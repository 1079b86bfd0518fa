import type { KeyObject } from 'node:crypto';
import { ed25519Key, isEd25519Signature, verifyEd25519 } from './ed25519.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Verification } from './provider.ts';
import { afterPrefix, hmac, matchSignature, signatureBytes } from './signature.ts';
import { holdsBody } from './signed-id.ts';
import { timelyVerdict } from './timestamp.ts';

/** A key and its signature scheme: `v1` is HMAC-SHA256, `v1a` is Ed25519. */
export type MessageKey = { scheme: 'v1'; key: Uint8Array } | { scheme: 'v1a'; key: KeyObject };

/** At most this many Ed25519 signatures are checked, 0.1 ms each. During a key rotation a message has two. */
const maxAsymmetric = 4;

/** The signed values besides the body, and the signatures, such as `v1,<base64>`. */
type Envelope = { id: string | null; timestamp: string | null; signatures: string[] };

/** Reads the header names of the standard, or else those of Svix, but never a mix of both. */
function envelopeOf(request: InboundRequest): Envelope {
  const prefix = request.header('webhook-signature') === null && request.header('svix-signature') ? 'svix' : 'webhook';
  return {
    id: request.header(`${prefix}-id`),
    timestamp: request.header(`${prefix}-timestamp`),
    signatures: request.headerValues(`${prefix}-signature`).flatMap((value) => value.split(' ')),
  };
}

/** The signed text has the time after the id in this form, so an id must not contain it. */
const timeInId = /\.\d{1,11}(?:\.|$)/;

/** The message's id, which resends share; null when there is none. */
export function messageId(request: InboundRequest): string | null {
  return envelopeOf(request).id || null;
}

/** Decodes the base64 after `prefix`, such as `whsec_`, with or without padding; null when `text` has another form. */
export function keyBytes(text: string, prefix: string): Buffer | null {
  if (!text.startsWith(prefix)) return null;
  const encoded = text.slice(prefix.length);
  return signatureBytes(encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '='), 'base64');
}

/** The Ed25519 public key in a `whpk_…` text, or null. */
export function publicKeyOf(text: string): KeyObject | null {
  const bytes = keyBytes(text, 'whpk_');
  return bytes && ed25519Key(bytes);
}

/**
 * Verifies a message signed by Standard Webhooks: a signature over `<id>.<timestamp>.<body>`. It passes if one
 * signature matches one of `keys`, which must not be empty.
 *
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function verifyMessage(
  request: InboundRequest,
  keys: readonly MessageKey[],
  config: { tolerance_seconds: number },
): Verification {
  const { id, timestamp, signatures } = envelopeOf(request);
  if (signatures.every((signature) => signature === '')) return { ok: false, reason: 'missing_signature' };
  // The timestamp is part of the signed text, so this is reported before the signature is checked.
  if (timestamp === null || timestamp === '') return { ok: false, reason: 'missing_timestamp' };
  if (id !== null && (timeInId.test(id) || holdsBody(id))) return { ok: false, reason: 'malformed_signature' };
  // Node decodes headers as latin1: one character for each byte.
  const signed = Buffer.from(`${id ?? ''}.${timestamp}.`, 'latin1');
  const verdicts = keys.map((key) => match(key, signed, request.body, signatures));
  const verdict = verdicts.find(({ ok }) => ok) ?? verdicts[0] ?? { ok: false, reason: 'unusable_secret' };
  return timelyVerdict(verdict, timestamp, request, config);
}

function match({ scheme, key }: MessageKey, signed: Buffer, body: Uint8Array, signatures: string[]): Verification {
  const offered = afterPrefix(signatures, `${scheme},`);
  if (offered.length === 0) return { ok: false, reason: 'malformed_signature' };
  if (scheme === 'v1') return matchSignature(hmac('sha256', key, [signed, body]), offered, 'base64');
  const wellFormed = offered
    .map((signature) => signatureBytes(signature, 'base64'))
    .filter((bytes) => bytes !== null)
    .filter(isEd25519Signature)
    .slice(0, maxAsymmetric);
  if (wellFormed.length === 0) return { ok: false, reason: 'malformed_signature' };
  const message = Buffer.concat([signed, body]);
  return wellFormed.some((bytes) => verifyEd25519(key, message, bytes))
    ? { ok: true }
    : { ok: false, reason: 'bad_signature' };
}
