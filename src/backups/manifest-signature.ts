import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Keyring, SecretsKey } from '../secrets/keyring.ts';

/** The manifest's line, and the line with its signature. */
const pattern = /^(-- manifest: [^\n]*\n)-- hmac-sha256: ([0-9a-f]{8}) ([0-9a-f]{64})\n$/;

/** A manifest's line, and who says that it signed it. */
export interface SignedLine {
  line: string;
  keyId: string;
  hmac: Buffer;
}

const hmacOf = (line: string, key: SecretsKey) =>
  createHmac('sha256', key.derive('backup manifest')).update(line).digest();

/**
 * Signs a manifest: HMAC-SHA256 (RFC 2104) over the bytes of its line, so that nobody without SECRETS_KEY can make or change
 * one. The manifest has the SHA-256 of the content, so the signature covers the whole file.
 *
 * @param line from `manifestLine`
 * @returns the line, and a line with the key's id and the HMAC: comments in SQL, both.
 */
export const signManifest = (line: string, key: SecretsKey) =>
  `${line}-- hmac-sha256: ${key.id} ${hmacOf(line, key).toString('hex')}\n`;

/** Takes both lines apart; null when that is not what the text is. Nothing is checked yet. */
export function readSignedLine(text: string): SignedLine | null {
  const [, line, keyId, hmac] = pattern.exec(text) ?? [];
  return line && keyId && hmac ? { line, keyId, hmac: Buffer.from(hmac, 'hex') } : null;
}

/** Whether a key of this keyring signed the line. */
export function isSigned({ line, keyId, hmac }: SignedLine, keyring: Keyring): boolean {
  const key = keyring.find(keyId);
  return key !== null && timingSafeEqual(hmacOf(line, key), hmac);
}
