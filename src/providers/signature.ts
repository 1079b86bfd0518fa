import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { Verification } from './provider.ts';

export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha384' | 'sha512';
export type SignatureEncoding = 'hex' | 'base64' | 'base64url';

/** At most this many signatures of one request are compared. No provider sends more than a few. */
const maxOffered = 16;

const forms: Record<SignatureEncoding, RegExp> = {
  hex: /^(?:[0-9a-f]{2})+$/i,
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  base64url: /^[A-Za-z0-9_-]+={0,2}$/,
};

/** The HMAC (RFC 2104) over the concatenated `parts`. */
export function hmac(
  algorithm: HmacAlgorithm,
  key: string | Uint8Array,
  parts: readonly (string | Uint8Array)[],
): Buffer {
  // With plain bytes, Node takes five times as long.
  const digest = createHmac(algorithm, typeof key === 'string' ? key : createSecretKey(key));
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** Decodes a signature; null when it is not valid in this encoding. */
export function signatureBytes(signature: string, encoding: SignatureEncoding): Buffer | null {
  return signature !== '' && forms[encoding].test(signature) ? Buffer.from(signature, encoding) : null;
}

/** What follows `prefix` in each text that begins with it. */
export function afterPrefix(texts: readonly string[], prefix: string): string[] {
  return texts.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length));
}

/**
 * Compares the expected signature with each offered one, in constant time. Any match passes. The result is
 * `malformed_signature` when no offered signature has the right encoding and length.
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
