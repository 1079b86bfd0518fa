import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Keyring } from '../secrets/keyring.ts';
import { BackupError } from './backup-error.ts';
import { decrypting } from './encryption.ts';
import { otherKey } from './judge-manifest.ts';
import type { Manifest } from './manifest.ts';

const chunkBytes = 256 * 1024;

/** The decompressed text of an archive without its manifest, in chunks. */
export interface ArchiveContent {
  chunks: AsyncIterator<Buffer>;
  /** Call it after the last chunk. Whether the file is still the one that was verified. */
  isUnchanged(): boolean;
}

/**
 * Decrypts and decompresses the content of an archive as a stream. The memory does not depend on the size of the
 * archive.
 *
 * @param file the bytes of the file, which `verifyArchive` has read before
 * @throws BackupError when no key of the keyring opens it. Later errors are thrown by `chunks`.
 */
export function openContent(file: Readable, manifest: Manifest, keyring: Keyring | null): ArchiveContent {
  const decrypt = decryptionOf(manifest, keyring);
  const hash = createHash('sha256');
  let left = manifest.bytes;
  const content = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const taken = chunk.subarray(0, left);
      left -= taken.length;
      hash.update(taken);
      done(null, taken);
    },
  });
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  const steps = [file, content, ...(decrypt ? [decrypt] : [])];
  for (const step of steps) step.on('error', (error) => gunzip.destroy(error));
  gunzip.on('close', () => {
    for (const step of steps) step.destroy();
  });
  const compressed = file.pipe(content);
  (decrypt ? compressed.pipe(decrypt) : compressed).pipe(gunzip);
  return { chunks: gunzip[Symbol.asyncIterator](), isUnchanged: () => hash.digest('hex') === manifest.sha256 };
}

/** Null for an archive that is not encrypted. */
function decryptionOf({ encrypted, key_id }: Manifest, keyring: Keyring | null) {
  if (!encrypted) return null;
  if (keyring?.find(key_id)) return decrypting(keyring);
  throw new BackupError(`The backup cannot be opened: ${otherKey(key_id, keyring)}.`);
}
