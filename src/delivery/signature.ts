import { createHmac, createSecretKey, type KeyObject, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Signing } from '../accounts/delivery-target.ts';
import { isInForce } from '../accounts/outbound-rotation.ts';
import { privateKeyOf } from '../accounts/signature-key.ts';

/** What a signature covers. */
export interface Signed {
  /** The `webhook-id`: the event id. */
  id: string;
  /** The `webhook-timestamp`: seconds since 1970. */
  timestampS: number;
  /** The bytes of the request's body. */
  body: Uint8Array;
}

export interface SignatureInput extends Signed {
  /** As the operator entered it: `whsec_` followed by base64, or any other text. */
  secret: string;
}

const prefix = 'whsec_';

/** Padding is optional: it may get lost when secrets are copied by hand, and the bytes are the same without it. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/**
 * The key of a secret: the decoded bytes of `whsec_` with valid base64, otherwise the UTF-8 bytes of the whole text.
 * This includes `whsec_` texts that are not base64: a delivery must not fail because of a secret that was once
 * accepted.
 */
function keyOf(secret: string): Buffer {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  return encoded !== '' && base64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret, 'utf8');
}

/** Keys that are remembered. */
const keptKeys = 1_000;
/** Objects, because with plain bytes, Node takes five times as long to sign. */
const keys = new LRUCache<string, KeyObject>({
  max: keptKeys,
  memoMethod: (secret) => createSecretKey(keyOf(secret)),
});

/** Keys of Ed25519, because Node takes longer to read one than to sign with it. */
const privateKeys = new LRUCache<string, KeyObject>({ max: keptKeys, memoMethod: privateKeyOf });

/**
 * A signature with a secret: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Never throws.
 *
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signDelivery({ secret, id, timestampS, body }: SignatureInput): string {
  const hmac = createHmac('sha256', keys.memo(secret)).update(`${id}.${timestampS}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
}

/** A signature with a private key of Ed25519: `v1a,` and the base64 of its 64 bytes over the same text. */
function signWithKey(key: string, { id, timestampS, body }: Signed): string {
  const text = Buffer.concat([Buffer.from(`${id}.${timestampS}.`), body]);
  return `v1a,${sign(null, text, privateKeys.memo(key)).toString('base64')}`;
}

/**
 * The value of `webhook-signature`; null: the delivery is not signed. During a rotation it has two signatures with a
 * space between them, that of the new secret first.
 *
 * @param at when the delivery is made, by the clock of the database.
 */
export function signaturesOf(signing: Signing | null, signed: Signed, at: Date): string | null {
  if (signing === null) return null;
  if ('key' in signing) return signWithKey(signing.key, signed);
  const signature = signDelivery({ secret: signing.secret, ...signed });
  const { previous } = signing;
  return previous && isInForce(previous, at.getTime())
    ? `${signature} ${signDelivery({ secret: previous.secret, ...signed })}`
    : signature;
}
