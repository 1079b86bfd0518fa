import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Bytes of a public key and of a signature (RFC 8032). */
const keyLength = 32;
const signatureLength = 64;

/** Parsed keys. Parsing takes half as long as a verification; an installation has a few dozen keys. */
const parsed = new LRUCache<string, KeyObject>({ max: 1000 });

/** The Ed25519 public key with these 32 raw bytes; null when they are not a valid key. Never throws. */
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

/** Whether `signature` has the length of an Ed25519 signature. */
export function isEd25519Signature(signature: Uint8Array): boolean {
  return signature.length === signatureLength;
}

/** Whether `signature` is a valid Ed25519 signature of `message` by `key`. */
export function verifyEd25519(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  return isEd25519Signature(signature) && verify(null, message, key, signature);
}
