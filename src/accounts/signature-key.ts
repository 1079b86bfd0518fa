import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';

/** What precedes the bytes of a private key in PKCS #8: RFC 8410, section 7. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A new private key of Ed25519 in base64: 32 random bytes (RFC 8032, section 5.1.5). */
export const newSignatureKey = (): string => randomBytes(32).toString('base64');

/** A private key in the form that signs. */
export const privateKeyOf = (key: string): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Head, Buffer.from(key, 'base64')]), format: 'der', type: 'pkcs8' });

/** The public key of a private one, as Standard Webhooks writes it: `whpk_` and the base64 of its 32 bytes. */
export function publicKeyOf(key: string): string {
  const { x = '' } = createPublicKey(privateKeyOf(key)).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}
