import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Verification } from './provider.ts';

export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha384' | 'sha512';
export type SignatureEncoding = 'hex' | 'base64' | 'base64url';

/** Of so many signatures in one request each is compared; no provider sends more than a few. */
const maxOffered = 16;

const forms: Record<SignatureEncoding, RegExp> = {
  hex: /^(?:[0-9a-f]{2})+$/i,
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  base64url: /^[A-Za-z0-9_-]+={0,2}$/,
};

/** The HMAC (RFC 2104) over `parts`, one after the other. */
export function hmac(
  algorithm: HmacAlgorithm,
  key: string | Uint8Array,
  parts: readonly (string | Uint8Array)[],
): Buffer {
  const digest = createHmac(algorithm, key);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** The bytes of a signature in its encoding, or null when it is not written so. */
export function signatureBytes(signature: string, encoding: SignatureEncoding): Buffer | null {
  return signature !== '' && forms[encoding].test(signature) ? Buffer.from(signature, encoding) : null;
}

/**
 * Compares what should be there with each signature that is; any match passes. In constant time: bytes of one length.
 * One of another length is `malformed_signature`.
 */
export function matchSignature(
  expected: Uint8Array,
  offered: readonly string[],
  encoding: SignatureEncoding,
): Verification {
  const values = offered.filter((value) => value !== '').slice(0, maxOffered);
  if (values.length === 0) return { ok: false, reason: 'missing_signature' };
  const wellFormed = values
    .map((value) => signatureBytes(value, encoding))
    .filter((bytes) => bytes !== null && bytes.length === expected.length)
    .filter((bytes) => bytes !== null);
  if (wellFormed.length === 0) return { ok: false, reason: 'malformed_signature' };
  return wellFormed.some((bytes) => timingSafeEqual(bytes, expected))
    ? { ok: true }
    : { ok: false, reason: 'bad_signature' };
}
