import { crc32 } from 'node:zlib';

/** RFC 1952, 2.3: magic, deflate, no flags, no time, no extra flags, unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const trailerBytes = 8;
/** RFC 1951, 3.2.4: a stored block has a head of 5 bytes and at most 65,535 bytes of data. */
const blockHeadBytes = 5;
const blockBytes = 0xffff;

/** Enough for 20,000 days of partitions. A file with a longer manifest is not a backup of the gateway. */
const maxManifestBytes = 1024 * 1024;
/** The size of a file's end that contains the longest possible manifest. */
export const maxMemberBytes = memberBytes(maxManifestBytes);
/** The size of a file's end that nearly always contains the manifest: enough for several months of partitions. */
const usualMemberBytes = 16 * 1024;

function memberBytes(textBytes: number): number {
  const blocks = Math.max(1, Math.ceil(textBytes / blockBytes));
  return header.length + blocks * blockHeadBytes + textBytes + trailerBytes;
}

/**
 * The last gzip member of an archive, with the signed manifest. It is stored without compression, so that its length
 * follows from the length of its text, which the last four bytes of the file contain. So the manifest can be found from
 * the end of the file, and reading it takes no more memory than its size.
 *
 * It is not written by zlib, so that every byte follows from the text and any changed bit is detected: zlib's output
 * differs between versions and systems, and its reader ignores some bits of a member.
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

/** The manifest at the end of a file. `memberBytes` is its distance from the end of the file. */
export interface ManifestEnd {
  memberBytes: number;
  /** Not verified: see `judgeManifest`. */
  text: string;
}

/**
 * Finds the manifest at the end of a file.
 *
 * @param tail the end of the file, or the whole file.
 * @returns null when there is no manifest, or when `tail` does not contain all of it.
 */
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
  // A member that differs from the output of `stored` is damaged. The comparison includes the checksum.
  if (!stored(text).equals(member)) return null;
  return { memberBytes: length, text: text.toString() };
}

/**
 * Reads the manifest at the end of a file. It reads only the last 16 KiB, or at most about 1 MiB.
 *
 * @param read returns the bytes of the file from `start` to its end
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
