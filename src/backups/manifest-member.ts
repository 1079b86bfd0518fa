import { crc32 } from 'node:zlib';
import { type Manifest, manifestLine, parseManifestLine } from './manifest.ts';

/** RFC 1952, 2.3: magic, deflate, no flags, no time, no extra flags, unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const trailerBytes = 8;
/** RFC 1951, 3.2.4: a stored block has a head of 5 bytes and at most 65,535 bytes of data. */
const blockHeadBytes = 5;
const blockBytes = 0xffff;

/** Some 20,000 days; a file that claims more is none of ours. */
export const maxManifestBytes = 1024 * 1024;
/** How much of a file's end holds the longest manifest there may be. */
export const maxMemberBytes = memberBytes(maxManifestBytes);
/** How much of a file's end nearly always holds all of it: some months of days. */
const usualMemberBytes = 16 * 1024;

function memberBytes(textBytes: number): number {
  const blocks = Math.max(1, Math.ceil(textBytes / blockBytes));
  return header.length + blocks * blockHeadBytes + textBytes + trailerBytes;
}

/**
 * The last gzip member of an archive. It is stored, not compressed, so that its length follows from the length of its
 * text, which is in the file's last four bytes: the manifest is found from the end, without reading what is before.
 */
export function manifestMember(manifest: Manifest): Buffer {
  const text = Buffer.from(manifestLine(manifest));
  if (text.length > maxManifestBytes) throw new Error('the manifest of the backup is too long');
  return stored(text);
}

function stored(text: Buffer): Buffer {
  const parts: Buffer[] = [header];
  for (let at = 0; at === 0 || at < text.length; at += blockBytes) {
    const data = text.subarray(at, at + blockBytes);
    const head = Buffer.alloc(blockHeadBytes);
    head.writeUInt8(at + blockBytes >= text.length ? 1 : 0, 0);
    head.writeUInt16LE(data.length, 1);
    head.writeUInt16LE(~data.length & 0xffff, 3);
    parts.push(head, data);
  }
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32LE(crc32(text), 0);
  trailer.writeUInt32LE(text.length, 4);
  return Buffer.concat([...parts, trailer]);
}

/** What the end of a file says: where its manifest begins, counted from the end, and the manifest. */
export interface ManifestEnd {
  memberBytes: number;
  manifest: Manifest | 'newer';
}

/** @param tail the end of a file, or all of it. Null when there is no manifest, or not all of it. */
export function manifestAtEnd(tail: Buffer): ManifestEnd | null {
  if (tail.length < memberBytes(1)) return null;
  const textBytes = tail.readUInt32LE(tail.length - 4);
  const length = memberBytes(textBytes);
  if (textBytes > maxManifestBytes || length > tail.length) return null;
  const member = tail.subarray(tail.length - length);
  const text = Buffer.concat(
    Array.from({ length: Math.max(1, Math.ceil(textBytes / blockBytes)) }, (_, block) => {
      const begin = header.length + blockHeadBytes + block * (blockHeadBytes + blockBytes);
      return member.subarray(begin, Math.min(begin + blockBytes, length - trailerBytes));
    }),
  );
  // Whatever is not as we write it was damaged; the checksum of the text is compared with the rest.
  if (!stored(text).equals(member)) return null;
  const manifest = parseManifestLine(text.toString());
  return manifest === null ? null : { memberBytes: length, manifest };
}

/**
 * Reads the manifest of a file from its end.
 *
 * @param read gives the bytes of the file from `start` to its end
 * @returns null when the file does not end with a manifest of just so many bytes before it.
 */
export async function readManifest(
  sizeBytes: number,
  read: (start: number) => Promise<Buffer>,
): Promise<Manifest | 'newer' | null> {
  let tail = await read(Math.max(0, sizeBytes - usualMemberBytes));
  if (tail.length < sizeBytes && tail.length >= 4) {
    const wanted = memberBytes(tail.readUInt32LE(tail.length - 4));
    if (wanted > tail.length && wanted <= Math.min(maxMemberBytes, sizeBytes)) tail = await read(sizeBytes - wanted);
  }
  const end = manifestAtEnd(tail);
  if (end === null || end.manifest === 'newer') return end?.manifest ?? null;
  return end.manifest.bytes + end.memberBytes === sizeBytes ? end.manifest : null;
}
