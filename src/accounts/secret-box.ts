import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** Where a secret lives. It is bound to the ciphertext, so that a box copied to another row or column does not open. */
export interface SecretPlace {
  accountId: string;
  field: string;
}

/** Encrypts the secrets of accounts at rest. */
export interface SecretBox {
  seal(secret: string, place: SecretPlace): Uint8Array;
  /** The secret, or null when it does not open: another key, another place, damaged bytes. */
  open(box: Uint8Array, place: SecretPlace): string | null;
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce; a box is `version | nonce | tag | ciphertext`.
 *
 * @param key 32 bytes, from SECRETS_KEY.
 */
export function createSecretBox(key: Uint8Array): SecretBox {
  const context = (place: SecretPlace) => Buffer.from(`${place.accountId}.${place.field}`);
  return {
    seal(secret, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context(place));
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(box, place) {
      if (box.length < 1 + nonceBytes + tagBytes || box[0] !== version) return null;
      const nonce = box.subarray(1, 1 + nonceBytes);
      const tag = box.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(context(place)).setAuthTag(tag);
      try {
        return decipher.update(box.subarray(1 + nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        // The only thing that throws here is a tag that does not match.
        return null;
      }
    },
  };
}
