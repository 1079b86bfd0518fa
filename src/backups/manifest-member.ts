import { crc32 } from 'node:zlib';

/** RFC 1952, 2.3: magic, deflate, no flags, no time, no extra flags, unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const trailerBytes = 8;
/** RFC 1951, 3.2.4: a stored block has a head of 5 bytes and at most 65,535 bytes of data. */
const blockHeadBytes = 5;
const blockBytes = 0xffff;

/** Some 20,000 days; a file that claims more is none of ours. */
const maxManifestBytes = 1024 * 1024;
/** How much of a file's end holds the longest manifest there may be. */
export const maxMemberBytes = memberBytes(maxManifestBytes);
/** How much of a file's end nearly always holds all of it: some months of days. */
const usualMemberBytes = 16 * 1024;

function memberBytes(textBytes: number): number {
  const blocks = Math.max(1, Math.ceil(textBytes / blockBytes));
  return header.length + blocks * blockHeadBytes + textBytes + trailerBytes;
}

/**
 * The last gzip member of an archive, with the signed manifest. It is stored, not compressed, so that its length follows from
 * the length of its text, which is in the file's last four bytes: the manifest is found from the end, without reading what is
 * before, and it takes no more memory than it has bytes.
 *
 * @param signed from `signManifest`
 */
export function manifestMember(signed: string): Buffer {
  const text = Buffer.from(signed);
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

/** The end of a file: where its manifest begins, counted from the end, and the manifest's text. */
export interface ManifestEnd {
  memberBytes: number;
  /** Unchecked: see `judgeManifest`. */
  text: string;
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
  // A member that differs from what `stored` makes was damaged; the comparison includes the checksum.
  if (!stored(text).equals(member)) return null;
  return { memberBytes: length, text: text.toString() };
}

/**
 * Reads the manifest at the end of a file, and no more of the file than that: 16 KiB, at most about 1 MiB.
 *
 * @param read gives the bytes of the file from `start` to its end
 */
export async function readManifestEnd(
  sizeBytes: number,
  read: (start: number) => Promise<Buffer>,
): Promise<ManifestEnd | null> {
  let tail = await read(Math.max(0, sizeBytes - usualMemberBytes));
  if (tail.length < sizeBytes && tail.length >= 4) {
    const wanted = memberBytes(tail.readUInt32LE(tail.length - 4));
    if (wanted > tail.length && wanted <= Math.min(maxMemberBytes, sizeBytes)) tail = await read(sizeBytes - wanted);
  }
  return manifestAtEnd(tail);
}
