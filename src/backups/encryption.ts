import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Transform } from 'node:stream';
import type { Keyring, SecretsKey } from '../secrets/keyring.ts';
import { ByteQueue } from './byte-queue.ts';

/**
 * Encryption of archives as a stream: the payload format of age (https://age-encryption.org/v1, section "Payload", which is the
 * STREAM construction of https://eprint.iacr.org/2015/189), with AES-256-GCM in place of ChaCha20-Poly1305.
 *
 * A line in clear with the id of the key, a random salt, and chunks, each with its tag. The key of an archive is derived from
 * SECRETS_KEY, the salt and the line, so no two archives share one. The nonce of a chunk is its number and whether it is the last
 * one: chunks cannot be left out, reordered, cut off, or come from another archive.
 *
 * It is not the AWS Encryption SDK for JavaScript, which does the same: its encryption ends the process when a stream is closed
 * early (5.0.2), as an interrupted backup does.
 */
const headOf = (keyId: string) => `webhook-gateway encrypted backup 1 ${keyId}\n`;
const headPattern = /^webhook-gateway encrypted backup 1 ([0-9a-f]{8})\n$/;
const headBytes = headOf('00000000').length;
const saltBytes = 32;
/** Of content. Some of them are in memory at a time, and one takes a fraction of a millisecond of the process. */
const chunkBytes = 256 * 1024;
const tagBytes = 16;

const algorithm = 'aes-256-gcm';

/** The key of one archive (HKDF-SHA256, RFC 5869). */
function archiveKey(key: SecretsKey, head: string, salt: Buffer): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key.derive('backup archive'), salt, head, 32));
}

/** Eleven bytes for the number of the chunk, one for whether it is the last. */
function nonceOf(chunk: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(chunk), 3);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

/** Encrypts what is written to it, with the archive's key made anew. */
export function encrypting(key: SecretsKey): Transform {
  const head = headOf(key.id);
  const salt = randomBytes(saltBytes);
  const secret = archiveKey(key, head, salt);
  const content = new ByteQueue();
  let chunks = 0;
  const seal = (chunk: Buffer, isLast: boolean) => {
    const cipher = createCipheriv(algorithm, secret, nonceOf(chunks++, isLast));
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  };
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      content.push(chunk);
      // One byte more than a chunk: it is not the last one.
      while (content.length > chunkBytes) this.push(seal(content.take(chunkBytes), false));
      done();
    },
    flush(done) {
      done(null, seal(content.take(content.length), true));
    },
  });
  stream.push(Buffer.concat([Buffer.from(head), salt]));
  return stream;
}

/**
 * Decrypts what is written to it. A chunk comes out only after its tag was checked. The stream fails at a chunk that was changed
 * or is not where it was, at an end that is too early or too late, and with another key.
 */
export function decrypting(keyring: Keyring): Transform {
  const content = new ByteQueue();
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
      content.push(chunk);
      try {
        if (secret === null && content.length >= headBytes + saltBytes) secret = readHead(content, keyring);
        while (secret !== null && content.length > chunkBytes + tagBytes)
          this.push(open(content.take(chunkBytes + tagBytes), false));
        done();
      } catch (error) {
        done(asError(error));
      }
    },
    flush(done) {
      try {
        done(null, open(content.take(content.length), true));
      } catch (error) {
        done(asError(error));
      }
    },
  });
}

function readHead(content: ByteQueue, keyring: Keyring): Uint8Array {
  const head = content.take(headBytes).toString('latin1');
  const [, keyId] = headPattern.exec(head) ?? [];
  if (keyId === undefined) throw new Error('it does not begin as an encrypted backup does');
  const key = keyring.find(keyId);
  if (key === null) throw new Error(`it is encrypted with the key ${keyId}, which is not given`);
  return archiveKey(key, head, content.take(saltBytes));
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
