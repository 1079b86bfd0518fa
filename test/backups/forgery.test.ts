import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, expect, test } from 'vitest';
import { archiveName } from '../../src/backups/archive-name.ts';
import { maxFiles } from '../../src/backups/backup-store.ts';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { type Manifest, manifestLine } from '../../src/backups/manifest.ts';
import { manifestAtEnd, manifestMember } from '../../src/backups/manifest-member.ts';
import { signManifest } from '../../src/backups/manifest-signature.ts';
import { readCatalogue } from '../../src/backups/read-catalogue.ts';
import { verifyArchive } from '../../src/backups/verify-archive.ts';
import { createKeyring, type Keyring } from '../../src/secrets/keyring.ts';
import { migratedDatabase } from '../support/database.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { backUp, testKeyring as keyring, unverifiedIn, verifiedIn } from './support.ts';

interface Made {
  name: string;
  bytes: Buffer;
  content: Buffer;
  /** The last gzip member of the file, which contains the manifest. */
  end: Buffer;
  text: string;
  manifest: Manifest;
}

const stranger = createKeyring(randomBytes(32));

async function made(options: { encrypt: boolean; keyring?: Keyring }): Promise<Made> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-backups-'));
  const store = openDirectoryStore(dir);
  const { name } = await backUp(url, store, options);
  const bytes = await readFile(join(dir, name));
  await rm(dir, { recursive: true });
  const found = manifestAtEnd(bytes);
  if (!found) throw new Error('no manifest');
  const at = bytes.length - found.memberBytes;
  const { manifest } = await verifyArchive(sourceOf(bytes, name), { keyring: options.keyring ?? keyring });
  return { name, bytes, content: bytes.subarray(0, at), end: bytes.subarray(at), text: found.text, manifest };
}

const sourceOf = (bytes: Buffer, name: string) => ({ name, open: async () => Readable.from([bytes]) });
const refusal = (bytes: Buffer, name: string) =>
  verifyArchive(sourceOf(bytes, name), { keyring }).then(
    () => null,
    (error: Error) => error.message,
  );

/** Why the list does not verify a file with these bytes and this name; null if it does. */
async function listed(bytes: Buffer, name: string): Promise<string | null> {
  const dir = folderForTest();
  await writeFile(join(dir, name), bytes);
  return (await unverifiedIn(openDirectoryStore(dir)))[name] ?? null;
}

const withManifest = (content: Buffer, manifest: Manifest, key: Keyring) =>
  Buffer.concat([content, manifestMember(signManifest(manifestLine(manifest), key.current))]);

let url: string;
let [encrypted, plain, another]: Made[] = [];
const both = () => [encrypted, plain].flatMap((archive) => archive ?? []);
beforeAll(async () => {
  url = await migratedDatabase();
  encrypted = await made({ encrypt: true });
  plain = await made({ encrypt: false });
  another = await made({ encrypt: true });
});

test('an archive, encrypted or not, is verified by the list and when it is read', async () => {
  for (const { bytes, name, manifest } of both()) {
    expect([await listed(bytes, name), await refusal(bytes, name)]).toEqual([null, null]);
    expect(manifest).toMatchObject({ key_id: keyring.current.id, encrypted: name.endsWith('.enc') });
  }
});

test('an archive with any changed field in its manifest is unverified and refused', async () => {
  for (const { content, manifest, text, name } of both()) {
    const signature = text.slice(text.indexOf('\n') + 1);
    const changes: Partial<Manifest>[] = [
      { id: randomUUID() },
      { created_at: '2031-01-01T00:00:00.000Z' },
      { gateway_version: '9.9.9' },
      { key_id: stranger.current.id },
      { encrypted: !manifest.encrypted },
      { migrations: manifest.migrations.slice(1) },
      { bytes: manifest.bytes + 1 },
      { sha256: '0'.repeat(64) },
      { rows: manifest.rows + 1 },
      { tables: manifest.tables.slice(1) },
      { sequences: [] },
      { audit_head: { seq: 1, seal: 'ab' } },
    ];
    expect(new Set(changes.flatMap(Object.keys))).toEqual(
      new Set(Object.keys(manifest).filter((key) => key !== 'format')),
    );
    for (const change of changes) {
      const changed = Buffer.concat([content, manifestMember(manifestLine({ ...manifest, ...change }) + signature)]);
      expect(await listed(changed, name), Object.keys(change).join()).toMatch(/its signature is wrong/);
      expect(await refusal(changed, name)).toMatch(/Nothing was written/);
    }
  }
});

test('a file that was made or changed without the key is refused, even with correct checksums', async () => {
  for (const { manifest, name } of both()) {
    const content = Buffer.from('every event to their address');
    const sha256 = createHash('sha256').update(content).digest('hex');
    const theirs: Manifest = { ...manifest, bytes: content.length, sha256, encrypted: false };
    const plainName = name.replace(/\.enc$/, '');
    const unsigned = Buffer.concat([content, manifestMember(manifestLine(theirs))]);
    expect(await refusal(unsigned, plainName)).toMatch(/is unverified: its manifest is not signed.*--unverified/s);
    const otherwise = withManifest(content, { ...theirs, key_id: stranger.current.id }, stranger);
    expect(await refusal(otherwise, plainName)).toMatch(
      `it was made with the SECRETS_KEY whose id is ${stranger.current.id}; the id of the SECRETS_KEY that is set is ${keyring.current.id}, and SECRETS_KEY_PREVIOUS is not set`,
    );
    // Signed with the other key, with the id of the gateway's key.
    const posing = signManifest(manifestLine(theirs), stranger.current).replace(
      stranger.current.id,
      keyring.current.id,
    );
    expect(await refusal(Buffer.concat([content, manifestMember(posing)]), plainName)).toMatch(/signature is wrong/);
    // The option --unverified accepts it.
    const taken = await verifyArchive(sourceOf(unsigned, plainName), { keyring, allowUnverified: true });
    expect(taken).toMatchObject({ manifest: theirs, unverified: 'its manifest is not signed' });
  }
});

test('the manifest of an archive does not fit another content, and chunks of two archives make none', async () => {
  if (!encrypted || !another) throw new Error('not made');
  const swapped = Buffer.concat([encrypted.content, another.end]);
  expect(await refusal(swapped, another.name)).toMatch(/is damaged/);
  // Both have the same length, so that only the checksum differs.
  const half = Math.floor(encrypted.content.length / 2);
  const spliced = Buffer.concat([encrypted.content.subarray(0, half), randomBytes(encrypted.content.length - half)]);
  expect(await refusal(Buffer.concat([spliced, encrypted.end]), encrypted.name)).toMatch(/is damaged/);
  for (const at of [1, half, encrypted.content.length]) {
    const cut = Buffer.concat([encrypted.content.subarray(at), encrypted.end]);
    expect(await refusal(cut, encrypted.name)).toMatch(/is damaged/);
    expect(await listed(cut, encrypted.name)).toMatch(/longer or shorter than its manifest says/);
  }
});

test('renamed, copied and re-dated archives are unverified; an archive is verified by its original name', async () => {
  for (const { bytes, name, manifest } of both()) {
    const at = new Date(manifest.created_at);
    const names = {
      'another id': archiveName(at, randomUUID(), manifest.encrypted),
      'a later date': archiveName(new Date('2031-01-01T00:00:00Z'), manifest.id, manifest.encrypted),
      'another ending': archiveName(at, manifest.id, !manifest.encrypted),
    };
    for (const [what, other] of Object.entries(names)) {
      expect(await listed(bytes, other), what).toBe(`it was renamed: by its manifest it is ${name}`);
      expect(await refusal(bytes, `/somewhere/${other}`), what).toMatch(/is unverified: it was renamed/);
    }
    // A name that does not have the form of a backup's name is not compared.
    expect(await refusal(bytes, '/somewhere/last-good-one')).toBeNull();
  }
});

test('an archive of the previous key is verified; one of an older key needs that key', async () => {
  const [old, young] = [randomBytes(32), randomBytes(32)];
  const archive = await made({ encrypt: true, keyring: createKeyring(old) });
  const source = sourceOf(archive.bytes, archive.name);
  const rotated = createKeyring(young, old);
  expect(await verifyArchive(source, { keyring: rotated })).toMatchObject({ unverified: null });
  const gone = createKeyring(young, randomBytes(32));
  for (const allowUnverified of [false, true])
    await expect(verifyArchive(source, { keyring: gone, allowUnverified })).rejects.toThrow(
      `cannot be opened: it was made with the SECRETS_KEY whose id is ${createKeyring(old).current.id}; the id of the SECRETS_KEY that is set is ${gone.current.id}, and that of SECRETS_KEY_PREVIOUS is ${gone.previous?.id}`,
    );
  await expect(verifyArchive(source, { keyring: null })).rejects.toThrow('and SECRETS_KEY is not set');
});

test('a huge manifest, real or claimed, is not parsed, and does not affect other files', async () => {
  if (!encrypted) throw new Error('not made');
  const dir = folderForTest();
  const put = (content: Buffer) => writeFile(join(dir, archiveName(new Date(), randomUUID())), content);
  await writeFile(join(dir, encrypted.name), encrypted.bytes);
  // Lengths in gzip's trailer up to 4 GiB, and an unsigned member of 1 MiB.
  for (const length of [0, 1, 1024 * 1024, 2 ** 31, 2 ** 32 - 1]) {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(length, 4);
    await put(Buffer.concat([randomBytes(20_000), trailer]));
  }
  await put(
    manifestMember(
      `-- manifest: ${'['.repeat(1024 * 1024 - 200)}\n-- hmac-sha256: ${keyring.current.id} ${'0'.repeat(64)}\n`,
    ),
  );
  await put(Buffer.alloc(0));
  // A sparse file as large as a disk, of which only the end is read.
  const sparse = join(dir, archiveName(new Date(), randomUUID()));
  await writeFile(sparse, '');
  await truncate(sparse, 1024 ** 4);
  const store = openDirectoryStore(dir);
  expect((await verifiedIn(store)).map(({ name }) => name)).toEqual([encrypted.name]);
  expect(Object.keys(await unverifiedIn(store))).toHaveLength(8);
});

test('of very many files some are read, and known ones always; above a limit the list fails', async () => {
  if (!encrypted) throw new Error('not made');
  const dir = join(folderForTest(), 'flood');
  await mkdir(dir);
  const flood = (count: number) => {
    for (let n = 0; n < count; n++)
      writeFileSync(join(dir, archiveName(new Date('2031-01-01T00:00:00Z'), randomUUID())), '');
  };
  flood(1_100);
  await writeFile(join(dir, encrypted.name), encrypted.bytes);
  const store = openDirectoryStore(dir);
  const unknown = await readCatalogue(store, keyring);
  expect(unknown).toMatchObject({ verified: [], unexamined: 101 });
  expect(unknown.unverified).toHaveLength(1_000);
  const known = await readCatalogue(store, keyring, new Set([encrypted.name]));
  expect(known.verified.map(({ name }) => name)).toEqual([encrypted.name]);
  flood(maxFiles - 1_100);
  await expect(readCatalogue(store, keyring)).rejects.toThrow(`holds more than ${maxFiles} files`);
});
