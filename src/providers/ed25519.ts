import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Bytes of a public key and of a signature (RFC 8032). */
const keyLength = 32;
const signatureLength = 64;

/** Parsing one takes as long as half a verification; an installation has a few dozen. */
const parsed = new LRUCache<string, KeyObject>({ max: 1000 });

/** The Ed25519 public key of 32 raw bytes, or null when that is none. Never throws. */
export function ed25519Key(bytes: Uint8Array): KeyObject | null {
  if (bytes.length !== keyLength) return null;
  const x = Buffer.from(bytes).toString('base64url');
  const known = parsed.get(x);
  if (known) return known;
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    parsed.set(x, key);
    return key;
  } catch {
    return null;
  }
}

/** Whether `signature` is of the length that one has. */
export function isEd25519Signature(signature: Uint8Array): boolean {
  return signature.length === signatureLength;
}

/** Whether the owner of `key` signed `message`. */
export function verifyEd25519(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  return isEd25519Signature(signature) && verify(null, message, key, signature);
}
