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
  /** Shown to operators. If its last part has the form of a backup's name, it is compared with the manifest. */
  name: string;
  open(): Promise<Readable>;
}

/** The result of verifying an archive. `unverified` is a clause with the reason; null when the signature is valid. */
export interface VerifiedArchive {
  manifest: Manifest;
  unverified: string | null;
}

/**
 * Reads a whole archive and checks that a gateway with the key created it, and that it is complete and unchanged. The
 * signature covers the SHA-256 of the content, and so each encrypted chunk.
 *
 * @param options.keyring null when there is no key; then no archive can be verified.
 * @param options.allowUnverified accepts an archive without a valid signature. Anyone can have created such a file,
 *   even if it is complete.
 * @throws BackupError when a check fails, the format is unknown, or no key decrypts it.
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
  if (end === null) throw refused(source, 'is no backup of this gateway, or its end is missing or damaged');
  const claimed = claimedManifest(source, end);
  if (claimed.encrypted && !keyring?.find(claimed.key_id))
    throw refused(source, `cannot be opened: ${otherKey(claimed.key_id, keyring)}`);
  const { bytes, sha256 } = tail.before(end.memberBytes);
  if (bytes !== claimed.bytes || sha256 !== claimed.sha256)
    throw refused(source, 'is damaged: its content is not the one that its checksum is of');
  const judged = judgeManifest(end, { name: basename(source.name), sizeBytes: bytes + end.memberBytes }, keyring);
  if (!judged.verified && !allowUnverified) throw unverifiedError(source, judged.why);
  return { manifest: claimed, unverified: judged.verified ? null : judged.why };
}

/** Parses the manifest before its signature is checked, so that an error can name the reason for the refusal. */
function claimedManifest(source: ArchiveSource, { text }: ManifestEnd): Manifest {
  const manifest = parseManifestLine(text.slice(0, text.indexOf('\n') + 1));
  if (manifest === null) throw refused(source, 'is no backup of this gateway: its manifest cannot be read');
  if (manifest === 'newer') throw refused(source, 'was written by a newer gateway', ' Restore it with that version.');
  if (manifest === 'older')
    throw refused(source, 'has an older format, without a signature, which this version does not read');
  return manifest;
}

const refused = ({ name }: ArchiveSource, why: string, remedy = '') =>
  new BackupError(`${name} ${why}. Nothing was written.${remedy}`);

const unverifiedError = ({ name }: ArchiveSource, why: string) =>
  new BackupError(
    `${name} is unverified: ${why}. Everyone who may write to the place of the backups can have made it or changed it, and what ` +
      'is restored from it can send every event to their addresses. Nothing was written. If you know where the file comes ' +
      'from, use the option --unverified.',
  );

/** The BackupError for an archive whose bytes cannot be read. A BackupError is returned unchanged. */
export function unreadable({ name }: ArchiveSource, error: unknown, outcome: string): BackupError {
  if (error instanceof BackupError) return error;
  const isFolder = error instanceof Error && 'code' in error && error.code === 'EISDIR';
  const what = isFolder ? 'is a folder, not a backup' : `cannot be read (${said(error)})`;
  return new BackupError(`${name} ${what}. ${outcome}`, { cause: error });
}

/**
 * Hashes a stream, but keeps its last bytes unhashed: they may belong to the manifest, whose length is not known yet.
 */
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

  /** The last bytes of the stream: at least the size of the longest manifest, or the whole stream. */
  held(): Buffer {
    this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  /** The size and hash of everything before the last `bytes` bytes. Call it only once. */
  before(bytes: number): { bytes: number; sha256: string } {
    const rest = this.held().subarray(0, this.#heldBytes - bytes);
    this.#hash.update(rest);
    return { bytes: this.#hashedBytes + rest.length, sha256: this.#hash.digest('hex') };
  }
}
