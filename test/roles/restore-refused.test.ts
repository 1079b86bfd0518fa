import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { manifestLine, parseManifestLine } from '../../src/backups/manifest.ts';
import { manifestAtEnd, manifestMember } from '../../src/backups/manifest-member.ts';
import { migrations } from '../../src/database/migrations.ts';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { backUp } from '../backups/support.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';
import { secretsKeyOf } from '../support/keyring.ts';
import { queryOnce } from '../support/one-connection.ts';
import { unreleasedMigrations } from '../support/unreleased-schema.ts';
import { backedUp, restored, tables } from './backed-up.ts';

const knownMigrations = migrations.map(({ name }) => name);
gatewaysEndWithTheirTest();
// Several processes in sequence, each with the time limit of a start in `gateway-process.ts`.

test('a tampered backup that redirects every event is restored only with --unverified, with a warning', async () => {
  const { dir, name, key } = await backedUp({ encrypt: false });
  const genuine = readFileSync(join(dir, name));
  const redirected = redirect(genuine);
  const databaseUrl = await freshDatabase();
  const variables = { DATABASE_URL: databaseUrl, SECRETS_KEY: key };
  const file = join(dir, name);
  writeFileSync(file, redirected);
  const refused = await restored([file], variables);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /is unverified: its signature is wrong.*send every event to their addresses.*--unverified/s,
  );
  expect(await queryOnce(databaseUrl, tables)).toEqual([]);

  const said = await restored([file, '--unverified'], variables);
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toMatch(/^WARNING: \S+ is unverified: its signature is wrong/m);
  expect(said.stdout).toContain('The backup was UNVERIFIED: check the delivery URLs of all accounts');
  const accounts = await queryOnce<{ delivery_url: string }>(databaseUrl, 'select delivery_url from accounts');
  expect(accounts).toEqual([{ delivery_url: 'http://evil.example/x' }]);
});

test.each([
  [
    'from before the first release',
    unreleasedMigrations,
    /was made by a version from before the first release \(migration Migration20261120000000_initial\).*Restore it with the version that made it/s,
  ],
  [
    'from a newer version',
    [...knownMigrations, 'Migration20990101000000_later'],
    /was made by a newer gateway \(.*does not know Migration20990101000000_later.*Restore it with that version or a later one/s,
  ],
])('a backup %s is refused, and nothing is written', async (_, names, words) => {
  const old = await migratedDatabase();
  await queryOnce(old, 'delete from mikro_orm_migrations');
  await queryOnce(old, 'insert into mikro_orm_migrations (name) select unnest($1::text[])', [names]);
  const keyring = createKeyring(new Uint8Array(randomBytes(32)));
  const store = openDirectoryStore(join(temporaryFolder('test'), 'backups'));
  const { name } = await backUp(old, store, { keyring });
  const databaseUrl = await freshDatabase();
  const refused = await restored([join(store.place, name), '--into', databaseUrl], {
    SECRETS_KEY: secretsKeyOf(keyring),
  });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(words);
  expect(refused.stderr).toContain('Nothing was written.');
  expect(await queryOnce(databaseUrl, tables)).toEqual([]);
});

/** Changes a row and corrects all checksums, as a writer to the bucket can. */
function redirect(archive: Buffer): Buffer {
  const end = manifestAtEnd(archive);
  const manifest = parseManifestLine(`${end?.text.split('\n')[0]}\n`);
  if (!end || manifest === null || typeof manifest === 'string') throw new Error('no manifest');
  const sql = gunzipSync(archive).toString('utf8');
  const content = gzipSync(
    sql.replaceAll(/http:\/\/127\.0\.0\.1:\d+[^\t\n]*/g, 'http://evil.example/x').split('-- manifest: ')[0] ?? '',
  );
  const sha256 = createHash('sha256').update(content).digest('hex');
  const line = manifestLine({ ...manifest, bytes: content.length, sha256 });
  return Buffer.concat([content, manifestMember(line + end.text.slice(end.text.indexOf('\n') + 1))]);
}

test.each([
  ['[]', [], /npm run restore -- <file>/],
  ['["a","b"]', ['a', 'b'], /npm run restore -- <file>/],
  ['["a","--to","b"]', ['a', '--to', 'b'], /Unknown option '--to'/],
  ['["a","--into","mysql://x"]', ['a', '--into', 'mysql://x'], /npm run restore -- <file>/],
  ['["nowhere.sql.gz"]', ['nowhere.sql.gz'], /There is no file nowhere.sql.gz, and neither BACKUP_DIR nor BACKUP_URL/],
  ['a file that is no backup', [import.meta.filename], /is no backup of this gateway/],
  ['a folder', [import.meta.dirname], /^\n\S+roles is a folder, not a backup\. Nothing was written\.\n\n$/],
])('%s is refused without any change', async (_, args, words) => {
  const dataDir = temporaryFolder();
  const said = await restored(args, { DATABASE_URL: 'postgresql://127.0.0.1:1/none', DATA_DIR: dataDir });
  expect(said.code).toBe(1);
  expect(said.stderr).toMatch(words);
  expect(existsSync(join(dataDir, 'gateway.json'))).toBe(false);
});
