import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Keyring, SecretsKey } from '../secrets/keyring.ts';

/** The manifest's line and the line with its signature. */
const pattern = /^(-- manifest: [^\n]*\n)-- hmac-sha256: ([0-9a-f]{8}) ([0-9a-f]{64})\n$/;

/** A manifest's line with its signature, which is not checked yet. */
export interface SignedLine {
  line: string;
  keyId: string;
  hmac: Buffer;
}

const hmacOf = (line: string, key: SecretsKey) =>
  createHmac('sha256', key.derive('backup manifest')).update(line).digest();

/**
 * Signs a manifest with HMAC-SHA256 (RFC 2104) over the bytes of its line. Without SECRETS_KEY, a manifest can neither
 * be created nor changed. The manifest contains the SHA-256 of the content, so the signature covers the whole file.
 *
 * @param line from `manifestLine`
 * @returns the line, followed by a line with the key's id and the HMAC. Both are SQL comments.
 */
export const signManifest = (line: string, key: SecretsKey) =>
  `${line}-- hmac-sha256: ${key.id} ${hmacOf(line, key).toString('hex')}\n`;

/** Parses both lines; null for any other text. Does not check the signature. */
export function readSignedLine(text: string): SignedLine | null {
  const [, line, keyId, hmac] = pattern.exec(text) ?? [];
  return line && keyId && hmac ? { line, keyId, hmac: Buffer.from(hmac, 'hex') } : null;
}

/** Whether a key of this keyring signed the line. */
export function isSigned({ line, keyId, hmac }: SignedLine, keyring: Keyring): boolean {
  const key = keyring.find(keyId);
  return key !== null && timingSafeEqual(hmacOf(line, key), hmac);
}
