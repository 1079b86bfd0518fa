import { createHash, type Hash } from 'node:crypto';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type { Keyring } from '../secrets/keyring.ts';
import { BackupError, said } from './backup-error.ts';
import { judgeManifest, otherKey } from './judge-manifest.ts';
import { type Manifest, parseManifestLine } from './manifest.ts';
import { type ManifestEnd, manifestAtEnd, maxMemberBytes } from './manifest-member.ts';

/** A backup that can be read as often as needed. */
export interface ArchiveSource {
  /** For people; its last part is compared with the manifest when it has the form of a backup's name. */
  name: string;
  open(): Promise<Readable>;
}

/** What an archive is. `why` is half a sentence about it, for people; null: its signature holds. */
export interface VerifiedArchive {
  manifest: Manifest;
  unverified: string | null;
}

/**
 * Reads an archive from end to end and makes sure that a gateway with the key made it, and that it is whole and unchanged.
 * The signature covers the SHA-256 of the content, and so each encrypted frame of it.
 *
 * @param options.keyring null: there is no key, so no archive is verified.
 * @param options.allowUnverified takes an archive without a valid signature. Such a file can have been made by anyone: that it
 *   is whole says nothing.
 * @throws BackupError when it is not, or its format is another one, or no key opens it.
 */
export async function verifyArchive(
  source: ArchiveSource,
  { keyring, allowUnverified = false }: { keyring: Keyring | null; allowUnverified?: boolean },
): Promise<VerifiedArchive> {
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
  const claimed = claimedManifest(source, end);
  if (claimed.encrypted && !keyring?.find(claimed.key_id))
    throw new BackupError(
      `${source.name} cannot be opened: ${otherKey(claimed.key_id, keyring)}. Nothing was written.`,
    );
  const { bytes, sha256 } = tail.before(end.memberBytes);
  if (bytes !== claimed.bytes || sha256 !== claimed.sha256)
    throw new BackupError(
      `${source.name} is damaged: its content is not the one that its checksum is of. Nothing was written.`,
    );
  const judged = judgeManifest(end, { name: basename(source.name), sizeBytes: bytes + end.memberBytes }, keyring);
  if (!judged.verified && !allowUnverified) throw unverifiedError(source, judged.why);
  return { manifest: claimed, unverified: judged.verified ? null : judged.why };
}

/** What the manifest says, whoever wrote it: enough to say why an archive is refused. */
function claimedManifest({ name }: ArchiveSource, { text }: ManifestEnd): Manifest {
  const manifest = parseManifestLine(text.slice(0, text.indexOf('\n') + 1));
  if (manifest === null)
    throw new BackupError(`${name} is no backup of this gateway: its manifest cannot be read. Nothing was written.`);
  if (manifest === 'newer')
    throw new BackupError(`${name} was written by a newer gateway. Nothing was written. Restore it with that version.`);
  if (manifest === 'older')
    throw new BackupError(
      `${name} has an older format, without a signature, which this version does not read. Nothing was written.`,
    );
  return manifest;
}

const unverifiedError = ({ name }: ArchiveSource, why: string) =>
  new BackupError(
    `${name} is unverified: ${why}. Everyone who may write to the place of the backups can have made it or changed it, and what ` +
      'is restored from it can send every event to their addresses. Nothing was written. If you know where the file comes ' +
      'from, use the option --unverified.',
  );

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
