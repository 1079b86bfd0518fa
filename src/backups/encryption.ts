import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Transform } from 'node:stream';
import { BufferList } from 'bl';
import type { Keyring, SecretsKey } from '../secrets/keyring.ts';

/**
 * Stream encryption of archives: the payload format of age (https://age-encryption.org/v1, section "Payload", the
 * STREAM construction of https://eprint.iacr.org/2015/189), with AES-256-GCM in place of ChaCha20-Poly1305.
 *
 * An archive has an unencrypted line with the id of the key, a random salt, and chunks with a tag each. Its key is
 * derived from SECRETS_KEY, the salt and the line, so every archive has a different key. The nonce of a chunk contains
 * its number and whether it is the last one. So chunks cannot be removed, reordered, truncated or taken from another
 * archive.
 *
 * The AWS Encryption SDK for JavaScript does the same, but (in 5.0.2) it ends the process when a stream is closed
 * early, as an interrupted backup does.
 */
const headOf = (keyId: string) => `webhook-gateway encrypted backup 1 ${keyId}\n`;
const headPattern = /^webhook-gateway encrypted backup 1 ([0-9a-f]{8})\n$/;
const headBytes = headOf('00000000').length;
const saltBytes = 32;
/**
 * Plain text bytes of a chunk. Encrypting one blocks the event loop for less than 1 ms; a few are in memory at a time.
 */
const chunkBytes = 256 * 1024;
const tagBytes = 16;

const algorithm = 'aes-256-gcm';

/** The key of one archive (HKDF-SHA256, RFC 5869). */
function archiveKey(key: SecretsKey, head: string, salt: Buffer): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key.derive('backup archive'), salt, head, 32));
}

/** The nonce of a chunk: eleven bytes for its number, one for whether it is the last chunk. */
function nonceOf(chunk: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(chunk), 3);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

/** Returns a stream that encrypts an archive with a new key. */
export function encrypting(key: SecretsKey): Transform {
  const head = headOf(key.id);
  const salt = randomBytes(saltBytes);
  const secret = archiveKey(key, head, salt);
  const content = new BufferList();
  let chunks = 0;
  const seal = (chunk: Buffer, isLast: boolean) => {
    const cipher = createCipheriv(algorithm, secret, nonceOf(chunks++, isLast));
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  };
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      content.append(chunk);
      // A chunk is sealed only when more bytes follow, because the last chunk has a different nonce.
      while (content.length > chunkBytes) this.push(seal(taken(content, chunkBytes), false));
      done();
    },
    flush(done) {
      done(null, seal(taken(content, content.length), true));
    },
  });
  stream.push(Buffer.concat([Buffer.from(head), salt]));
  return stream;
}

/**
 * Returns a stream that decrypts an archive. It emits a chunk only after checking its tag. It fails for a changed or
 * moved chunk, for missing or additional content at the end, and for a wrong key.
 */
export function decrypting(keyring: Keyring): Transform {
  const content = new BufferList();
  let secret: Uint8Array | null = null;
  let chunks = 0;
  const open = (sealed: Buffer, isLast: boolean) => {
    if (secret === null || sealed.length < tagBytes) throw new Error('it ends too early');
    const decipher = createDecipheriv(algorithm, secret, nonceOf(chunks++, isLast));
    decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
    const chunk = decipher.update(sealed.subarray(0, sealed.length - tagBytes));
    try {
      decipher.final();
    } catch (error) {
      throw new Error('a part of it was changed, left out or cut off, or it was encrypted with another key', {
        cause: error,
      });
    }
    return chunk;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      content.append(chunk);
      try {
        if (secret === null && content.length >= headBytes + saltBytes) secret = readHead(content, keyring);
        while (secret !== null && content.length > chunkBytes + tagBytes)
          this.push(open(taken(content, chunkBytes + tagBytes), false));
        done();
      } catch (error) {
        done(asError(error));
      }
    },
    flush(done) {
      try {
        done(null, open(taken(content, content.length), true));
      } catch (error) {
        done(asError(error));
      }
    },
  });
}

function readHead(content: BufferList, keyring: Keyring): Uint8Array {
  const head = taken(content, headBytes).toString('latin1');
  const [, keyId] = headPattern.exec(head) ?? [];
  if (keyId === undefined) throw new Error('it does not begin as an encrypted backup does');
  const key = keyring.find(keyId);
  if (key === null) throw new Error(`it is encrypted with the key ${keyId}, which is not given`);
  return archiveKey(key, head, taken(content, saltBytes));
}

/** Removes the first `bytes` bytes, of which the caller knows that they are there. */
function taken(content: BufferList, bytes: number): Buffer {
  const first = content.slice(0, bytes);
  content.consume(bytes);
  return first;
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
