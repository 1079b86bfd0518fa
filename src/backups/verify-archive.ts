import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { BackupError, said } from './backup-error.ts';
import type { Manifest } from './manifest.ts';
import { manifestAtEnd, maxMemberBytes } from './manifest-member.ts';

/** A backup that can be read as often as needed. */
export interface ArchiveSource {
  /** For people. */
  name: string;
  open(): Promise<Readable>;
}

/**
 * Reads an archive from end to end and makes sure that it is whole and unchanged.
 *
 * @throws BackupError when it is not, or was written by a newer program.
 */
export async function verifyArchive(source: ArchiveSource): Promise<Manifest> {
  const tail = new Tail();
  try {
    for await (const chunk of await source.open()) tail.push(chunk);
  } catch (error) {
    throw unreadable(source, error, 'Nothing was written.');
  }
  const end = manifestAtEnd(tail.held());
  if (end === null)
    throw new BackupError(
      `${source.name} is no backup of this gateway, or its end is missing or damaged. Nothing was written.`,
    );
  const { manifest, memberBytes } = end;
  if (manifest === 'newer')
    throw new BackupError(`${source.name} was written by a newer gateway. Restore it with that version.`);
  const { bytes, sha256 } = tail.before(memberBytes);
  if (bytes !== manifest.bytes || sha256 !== manifest.sha256)
    throw new BackupError(
      `${source.name} is damaged: its content is not the one that its checksum is of. Nothing was written.`,
    );
  return manifest;
}

/** Why the bytes of an archive are not to be had, in words; what says it in words already is left as it is. */
export function unreadable({ name }: ArchiveSource, error: unknown, outcome: string): BackupError {
  if (error instanceof BackupError) return error;
  const isFolder = error instanceof Error && 'code' in error && error.code === 'EISDIR';
  const what = isFolder ? 'is a folder, not a backup' : `cannot be read (${said(error)})`;
  return new BackupError(`${name} ${what}. ${outcome}`, { cause: error });
}

/** Hashes a stream except for its end, of which it is not known yet where it begins. */
class Tail {
  readonly #hash: Hash = createHash('sha256');
  #chunks: Buffer[] = [];
  #heldBytes = 0;
  #hashedBytes = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#heldBytes += chunk.length;
    for (
      let [first] = this.#chunks;
      first && this.#heldBytes - first.length >= maxMemberBytes;
      [first] = this.#chunks
    ) {
      this.#hash.update(first);
      this.#hashedBytes += first.length;
      this.#heldBytes -= first.length;
      this.#chunks.shift();
    }
  }

  /** At least as much of the end as a manifest can have, or all of it. */
  held(): Buffer {
    this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  /** What there is before the last `bytes` bytes. */
  before(bytes: number): { bytes: number; sha256: string } {
    const rest = this.held().subarray(0, this.#heldBytes - bytes);
    this.#hash.update(rest);
    return { bytes: this.#hashedBytes + rest.length, sha256: this.#hash.digest('hex') };
  }
}
