import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keyring, SecretsKey } from './keyring.ts';

/** Version 1 did not name its key; no released gateway wrote it, so nothing reads it. */
const version = 2;
/** A key's id as bytes. */
const idBytes = 4;
/** 96 bits, the length that NIST SP 800-38D recommends for random nonces. */
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + idBytes;

/** Where a secret lives. It is bound to the ciphertext, so that a box copied to another row or column does not open. */
export interface SecretPlace {
  accountId: string;
  field: string;
}

/** Encrypts the secrets of accounts at rest. */
export interface SecretBox {
  /** Seals with the current key. */
  seal(secret: string, place: SecretPlace): Uint8Array;
  /** The secret, or null when it does not open: a key that is not known, another place, damaged bytes. */
  open(box: Uint8Array, place: SecretPlace): string | null;
}

/** The id of the key that a box names; null when the bytes are no box. The name alone does not mean that the box opens. */
export function keyIdOf(box: Uint8Array): string | null {
  if (box.length < headBytes + nonceBytes + tagBytes || box[0] !== version) return null;
  return Buffer.from(box.subarray(1, headBytes)).toString('hex');
}

/** The first bytes of every box that this key has sealed, for statements that look for them. */
export function boxPrefix(keyId: string): Buffer {
  return Buffer.concat([Buffer.of(version), Buffer.from(keyId, 'hex')]);
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce; a box is `version | key id | nonce | tag | ciphertext`. The current key
 * seals, and the key that a box names opens it.
 */
export function createSecretBox(keyring: Keyring): SecretBox {
  const derived = new Map<string, Uint8Array>();
  const cipherKey = (key: SecretsKey): Uint8Array => {
    const bytes = derived.get(key.id) ?? key.derive('secret box');
    derived.set(key.id, bytes);
    return bytes;
  };
  return {
    seal(secret, place) {
      const head = boxPrefix(keyring.current.id);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', cipherKey(keyring.current), nonce).setAAD(context(head, place));
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([head, nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(box, place) {
      const id = keyIdOf(box);
      const key = id === null ? null : keyring.find(id);
      if (key === null) return null;
      const nonce = box.subarray(headBytes, headBytes + nonceBytes);
      const tag = box.subarray(headBytes + nonceBytes, headBytes + nonceBytes + tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', cipherKey(key), nonce)
        .setAAD(context(box.subarray(0, headBytes), place))
        .setAuthTag(tag);
      try {
        const ciphertext = box.subarray(headBytes + nonceBytes + tagBytes);
        return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
      } catch {
        // The only thing that throws here is a tag that does not match.
        return null;
      }
    },
  };
}

const context = (head: Uint8Array, { accountId, field }: SecretPlace) =>
  Buffer.concat([head, Buffer.from(`${accountId}.${field}`)]);
