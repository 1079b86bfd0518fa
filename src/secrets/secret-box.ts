import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Keyring, SecretsKey } from './keyring.ts';

/** The format of a box. Version 1, without a key id, was never released and is not supported. */
const version = 2;
/** The length of a key's id. */
const idBytes = 4;
/** 96 bits, the length that NIST SP 800-38D recommends for random nonces. */
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + idBytes;

/**
 * The place of a secret. The ciphertext is bound to it, so a box copied to another row or column cannot be decrypted.
 */
export interface SecretPlace {
  accountId: string;
  field: string;
}

/** Encrypts secrets at rest. An encrypted secret is called a box. */
export interface SecretBox {
  /** Encrypts a secret with the current key. */
  seal(secret: string, place: SecretPlace): Uint8Array;
  /** Decrypts a secret; null for an unknown key, another place or damaged bytes. */
  open(box: Uint8Array, place: SecretPlace): string | null;
}

/** The id of the key in a box; null when the bytes are not a box. Does not check whether the box can be decrypted. */
export function keyIdOf(box: Uint8Array): string | null {
  if (box.length < headBytes + nonceBytes + tagBytes || box[0] !== version) return null;
  return Buffer.from(box.subarray(1, headBytes)).toString('hex');
}

/** The first bytes of every box of a key, for SQL statements that search for them. */
export function boxPrefix(keyId: string): Buffer {
  return Buffer.concat([Buffer.of(version), Buffer.from(keyId, 'hex')]);
}

/**
 * Creates a SecretBox with AES-256-GCM (NIST SP 800-38D) and random nonces. A box is
 * `version | key id | nonce | tag | ciphertext`. The current key encrypts; the key that a box names decrypts it.
 */
export function createSecretBox(keyring: Keyring): SecretBox {
  const derived = new Map<string, KeyObject>();
  const cipherKey = (key: SecretsKey): KeyObject => {
    const known = derived.get(key.id) ?? createSecretKey(key.derive('secret box'));
    derived.set(key.id, known);
    return known;
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
        // Only a wrong tag throws here.
        return null;
      }
    },
  };
}

const context = (head: Uint8Array, { accountId, field }: SecretPlace) =>
  Buffer.concat([head, Buffer.from(`${accountId}.${field}`)]);
