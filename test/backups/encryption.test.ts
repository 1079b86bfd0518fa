import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { decrypting, encrypting } from '../../src/backups/encryption.ts';
import { createKeyring } from '../../src/secrets/keyring.ts';

const keyring = createKeyring(randomBytes(32));
const chunkBytes = 256 * 1024;
const sealedBytes = chunkBytes + 16;
const headBytes = 'webhook-gateway encrypted backup 1 01234567\n'.length + 32;

const encrypted = (content: Buffer, key = keyring.current) => buffer(Readable.from([content]).pipe(encrypting(key)));

/** The decrypted content, up to the error if there is one. */
async function decrypted(sealed: Buffer, { pieceBytes = sealed.length || 1, keys = keyring } = {}) {
  const pieces = Array.from({ length: Math.ceil(sealed.length / pieceBytes) }, (_, n) =>
    sealed.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  );
  const content: Buffer[] = [];
  const failure = await pipeline(Readable.from(pieces), decrypting(keys), async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) content.push(chunk);
  }).then(
    () => null,
    (error: Error) => error.message,
  );
  return { content: Buffer.concat(content), failure };
}

const content = randomBytes(3 * chunkBytes + 1000);
let sealed: Buffer;
beforeAll(async () => {
  sealed = await encrypted(content);
});
const chunkOf = (archive: Buffer, n: number) =>
  archive.subarray(headBytes + n * sealedBytes, headBytes + (n + 1) * sealedBytes);
const changed = /changed, left out or cut off/;

test.each([0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 5 * chunkBytes + 7])(
  '%d bytes are decrypted unchanged',
  async (bytes) => {
    const original = randomBytes(bytes);
    const { content, failure } = await decrypted(await encrypted(original));
    expect(failure).toBeNull();
    expect(content.equals(original)).toBe(true);
  },
);

test.each([1, 7, 4096, sealedBytes])('an archive is decrypted in pieces of %d bytes', async (pieceBytes) => {
  const original = content.subarray(0, pieceBytes === 1 ? 5000 : content.length);
  const opened = await decrypted(await encrypted(original), { pieceBytes });
  expect(opened.failure).toBeNull();
  expect(opened.content.equals(original)).toBe(true);
});

test('the same content is encrypted differently each time, with the id of its key', async () => {
  const again = await encrypted(content);
  expect(chunkOf(again, 0).equals(chunkOf(sealed, 0))).toBe(false);
  expect(sealed.toString('latin1', 0, 44)).toBe(`webhook-gateway encrypted backup 1 ${keyring.current.id}\n`);
  expect(sealed.includes(content.subarray(0, 32))).toBe(false);
});

test('an archive that is cut off anywhere fails, also between two chunks', async () => {
  const borders = [0, headBytes - 1, headBytes, ...[1, 2, 3].map((n) => headBytes + n * sealedBytes)];
  for (const length of [...borders, sealed.length - 1, sealed.length - 16, headBytes + 5])
    expect((await decrypted(sealed.subarray(0, length))).failure, `${length} bytes`).not.toBeNull();
});

test('an archive with any bit flipped fails, and nothing of the changed chunk is returned', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: sealed.length * 8 - 1 }), async (bit) => {
      const flipped = Buffer.from(sealed);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const opened = await decrypted(flipped);
      expect(opened.failure).not.toBeNull();
      const whole = Math.max(0, Math.floor(((bit >> 3) - headBytes) / sealedBytes)) * chunkBytes;
      expect(opened.content.length).toBeLessThanOrEqual(whole);
      expect(content.subarray(0, opened.content.length).equals(opened.content)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('chunks that are reordered, repeated, left out or taken from another archive make it fail', async () => {
  const other = await encrypted(randomBytes(content.length));
  const head = sealed.subarray(0, headBytes);
  const [a, b, c, d] = [0, 1, 2, 3].map((n) => chunkOf(sealed, n)) as [Buffer, Buffer, Buffer, Buffer];
  const arrangements = {
    reordered: [head, b, a, c, d],
    repeated: [head, a, a, b, c, d],
    'left out': [head, a, c, d],
    'without its last': [head, a, b, c],
    'with the last one first': [head, d],
    'a chunk of another archive': [head, a, chunkOf(other, 1), c, d],
    'the end of another archive': [head, a, b, c, chunkOf(other, 3)],
    'the head of another archive': [other.subarray(0, headBytes), a, b, c, d],
    'with bytes behind its end': [sealed, Buffer.from('x')],
    'twice in one file': [sealed, sealed],
  };
  for (const [name, parts] of Object.entries(arrangements))
    expect((await decrypted(Buffer.concat(parts))).failure, name).toMatch(changed);
});

test('the previous key decrypts an archive; a key that the archive does not name is not tried', async () => {
  const [old, young, none] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const made = await encrypted(content, createKeyring(old).current);
  expect((await decrypted(made, { keys: createKeyring(young, old) })).content.equals(content)).toBe(true);
  const refused = await decrypted(made, { keys: createKeyring(young, none) });
  expect(refused).toMatchObject({ content: Buffer.alloc(0) });
  expect(refused.failure).toBe(`it is encrypted with the key ${createKeyring(old).current.id}, which is not given`);
});

test('a stream that is closed early causes no error', async () => {
  for (const stream of [encrypting(keyring.current), decrypting(keyring)]) {
    stream.on('error', () => undefined);
    stream.write(sealed.subarray(0, 2 * sealedBytes));
    stream.destroy(new Error('enough'));
    await expect(pipeline(Readable.from([sealed]), stream)).rejects.toThrow();
  }
});
