import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { copyLine } from '../../src/backups/archive-text.ts';
import { BackupError } from '../../src/backups/backup-error.ts';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { type Manifest, manifestLine } from '../../src/backups/manifest.ts';
import { manifestAtEnd, manifestMember } from '../../src/backups/manifest-member.ts';
import { signManifest } from '../../src/backups/manifest-signature.ts';
import { plainSql } from '../../src/backups/plain-sql.ts';
import { restoreArchive } from '../../src/backups/restore.ts';
import { type ArchiveSource, verifyArchive } from '../../src/backups/verify-archive.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase } from '../support/database.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { queryOnce } from '../support/one-connection.ts';
import { backUp, testKeyring as keyring, restore, verifiedIn } from './support.ts';

const log = createLog('silent');
let name: string;
let archive: Buffer;
let manifest: Manifest;

beforeAll(async () => {
  const url = await freshDatabase();
  await migrateOnce(url, log);
  await queryOnce(
    url,
    `insert into gateway_settings select 'k' || n, sha256(n::text::bytea) from generate_series(1, 200) n`,
  );
  const dir = await mkdtemp(join(tmpdir(), 'gateway-backups-'));
  const store = openDirectoryStore(dir);
  ({ name } = await backUp(url, store));
  archive = await readFile(join(dir, name));
  ({ manifest } = await verified(archive));
  await rm(dir, { recursive: true });
});

const sourceOf = (content: Buffer) => ({ name: 'file', open: async () => Readable.from([content]) });
const verified = (content: Buffer) => verifyArchive(sourceOf(content), { keyring });
const refusal = async (content: Buffer) => {
  const error = await verified(content).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BackupError);
  return error instanceof BackupError ? error.message : '';
};

/** The verified files in a folder with one file of that content. */
async function listed(content: Buffer): Promise<string[]> {
  const dir = folderForTest();
  await writeFile(join(dir, name), content);
  expect(await readdir(dir)).toEqual([name]);
  return (await verifiedIn(openDirectoryStore(dir))).map((found) => found.name);
}

test('the unchanged file is verified and listed', async () => {
  expect((await verified(archive)).manifest.rows).toBeGreaterThanOrEqual(200);
  expect(await listed(archive)).toEqual([name]);
});

test('a file that is cut off anywhere is refused and not listed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: archive.length - 1 }), async (length) => {
      expect(await refusal(archive.subarray(0, length))).toMatch(/Nothing was written/);
    }),
    { numRuns: 300 },
  );
  for (const length of [0, 1, 10, archive.length - 5000, archive.length - 1])
    expect(await listed(archive.subarray(0, length))).toEqual([]);
});

test('a file with any bit flipped is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: archive.length * 8 - 1 }), async (bit) => {
      const flipped = Buffer.from(archive);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(await refusal(flipped)).toMatch(/Nothing was written/);
    }),
    { numRuns: 500 },
  );
});

test('a file with inserted, removed or repeated bytes is refused', async () => {
  for (const content of [
    Buffer.concat([archive, Buffer.from([0])]),
    Buffer.concat([Buffer.from('x'), archive]),
    Buffer.concat([archive, archive]),
    Buffer.concat([archive.subarray(0, 100), archive.subarray(101)]),
  ])
    await refusal(content);
});

test.each([
  ['an empty file', Buffer.alloc(0)],
  ['a text', Buffer.from('select 1;\n'.repeat(1000))],
  ['a gzip of something else', gzipSync('select 1;\n'.repeat(1000))],
])('%s is refused', async (_, content) => {
  expect(await refusal(content)).toMatch(/is no backup of this gateway/);
  expect(await listed(content)).toEqual([]);
});

/** The same content with another manifest, signed with the gateway's key. */
function withManifest(change: (manifest: Manifest) => void): Buffer {
  const end = manifestAtEnd(archive);
  const changed = structuredClone(manifest);
  change(changed);
  const member = manifestMember(signManifest(manifestLine(changed), keyring.current));
  return Buffer.concat([archive.subarray(0, archive.length - (end?.memberBytes ?? 0)), member]);
}

test('another format and the schema of a newer gateway are refused', async () => {
  const older = withManifest((manifest) => Object.assign(manifest, { format: 1 }));
  expect(await refusal(older)).toMatch(/an older format, without a signature/);
  const newer = withManifest((manifest) => Object.assign(manifest, { format: 3 }));
  expect(await refusal(newer)).toMatch(/newer gateway/);

  const dir = folderForTest();
  const later = withManifest((manifest) => Object.assign(manifest, { migrations: ['Migration29990101000000_later'] }));
  await writeFile(join(dir, name), later);
  const url = await freshDatabase();
  await expect(restore(url, openDirectoryStore(dir), name)).rejects.toThrow(
    /newer gateway.*Migration29990101000000_later/s,
  );
  expect(await queryOnce(url, `select 1 from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
});

test('a backup whose rows differ from its manifest restores nothing', async () => {
  const dir = folderForTest();
  const wrong = withManifest(({ tables }) => {
    for (const table of tables) if (table.name === 'gateway_settings') table.rows += 1;
  });
  await writeFile(join(dir, name), wrong);
  const url = await freshDatabase();
  await expect(restore(url, openDirectoryStore(dir), name)).rejects.toThrow(/200 rows, the manifest says 201/);
  expect(await queryOnce(url, `select 1 from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
  // The database is still empty, so that the correct backup can be restored.
  await writeFile(join(dir, name), archive);
  await restore(url, openDirectoryStore(dir), name);
});

test('a file that breaks off or disappears while it is read gives an error in words', async () => {
  const broken = new Error('socket hang up');
  async function* breaking() {
    yield archive.subarray(0, archive.length / 2);
    throw broken;
  }
  const breaks = { name: 'file', open: async () => Readable.from(breaking()) };
  const gone = { name: 'file', open: () => Promise.reject(new Error('ENOENT: no such file')) };
  await expect(verifyArchive(breaks, { keyring })).rejects.toThrow(
    new BackupError('file cannot be read (socket hang up). Nothing was written.'),
  );
  await expect(verifyArchive(gone, { keyring })).rejects.toThrow(
    new BackupError('file cannot be read (ENOENT: no such file). Nothing was written.'),
  );
  // The file disappears between the check and the restore.
  const url = await freshDatabase();
  const load = (source: ArchiveSource) =>
    restoreArchive({ url, keyring, log, onProgress: () => undefined }, source, manifest);
  await expect(load(breaks)).rejects.toThrow(/^The backup cannot be read: socket hang up\. Nothing was restored\.$/);
  await expect(load(gone)).rejects.toThrow(/^file cannot be read \(ENOENT: no such file\)\. Nothing was restored\.$/);
  expect(await queryOnce(url, `select 1 from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
});

test('a database with tables is refused and left unchanged', async () => {
  const dir = folderForTest();
  await writeFile(join(dir, name), archive);
  const url = await freshDatabase();
  await queryOnce(url, 'create table somebodys (n integer)');
  await expect(restore(url, openDirectoryStore(dir), name)).rejects.toThrow(/not empty: it has the tables somebodys/);
  const ours = await freshDatabase();
  await migrateOnce(ours, log);
  await expect(restore(ours, openDirectoryStore(dir), name)).rejects.toThrow(/not empty: .*account/);
  expect(await queryOnce(ours, 'select * from gateway_settings')).toEqual([]);
});

test('the error of a missing database names it', async () => {
  const dir = folderForTest();
  await writeFile(join(dir, name), archive);
  const store = openDirectoryStore(dir);
  await expect(restore('postgresql://127.0.0.1:1/none', store, name)).rejects.toThrow(
    /none at 127.0.0.1:1.*ECONNREFUSED/,
  );
});

test('the text has the form that psql reads: statements, and rows after each COPY', async () => {
  const lines = (await text(plainSql(sourceOf(archive), manifest, keyring))).split('\n');
  const copies = new Map(manifest.tables.map((table) => [copyLine(table).trimEnd(), table]));
  const seen: string[] = [];
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const table = copies.get(line);
    if (!table) {
      expect(line).toMatch(
        /^(--.*|\\set ON_ERROR_STOP on|(BEGIN|COMMIT|SET|CREATE TABLE|ALTER TABLE|SELECT setval|update|with orphans as|insert into gateway_settings|do \$stop\$).*;|)$/,
      );
      continue;
    }
    const rows = lines.splice(0, lines.indexOf('\\.'));
    expect(lines.shift()).toBe('\\.');
    expect(rows).toHaveLength(table.rows);
    for (const row of rows) expect(row.split('\t')).toHaveLength(table.columns.length);
    seen.push(table.name);
  }
  expect(seen).toEqual(manifest.tables.map((table) => table.name));
});
