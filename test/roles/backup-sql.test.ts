import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { backUp } from '../backups/support.ts';
import { migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest, spawnGateway, temporaryFolder } from '../support/gateway-process.ts';
import { queryOnce } from '../support/one-connection.ts';

gatewaysEndWithTheirTest();
// Several processes in sequence, each with the time limit of a start in `gateway-process.ts`.

const key = randomBytes(32);
let dir: string;
let name: string;
beforeAll(async () => {
  const url = await migratedDatabase();
  await queryOnce(
    url,
    `insert into gateway_settings select 'k' || n, sha256(n::text::bytea) from generate_series(1, 50000) n`,
  );
  dir = join(temporaryFolder('test'), 'backups');
  ({ name } = await backUp(url, openDirectoryStore(dir), { keyring: createKeyring(key) }));
});

/** Runs `npm run backup-sql -- …` until it ends. */
async function ran(args: string[], variables: Record<string, string> = {}) {
  const role = spawnGateway('backup-sql', { SECRETS_KEY: key.toString('base64'), BACKUP_DIR: dir, ...variables }, args);
  const { code } = await role.exited;
  return { code, stdout: role.stdout(), stderr: role.stderr() };
}

test('standard output has only the SQL; --output writes a new file that only its owner can read', async () => {
  const said = await ran([name]);
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toMatch(/^-- webhook-gateway backup, format 2\n/);
  expect(said.stdout).toMatch(/\nCOMMIT;\n$/);
  expect(said.stdout.match(/^k\d+\t/gm)).toHaveLength(50_000);

  const output = join(dir, 'out.sql');
  expect(await ran([join(dir, name), '--output', output])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(output, 'utf8')).toBe(said.stdout);
  expect(statSync(output).mode & 0o777).toBe(0o600);
  const again = await ran([name, '--output', output]);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain(`${output} cannot be written (EEXIST`);
  expect(readFileSync(output, 'utf8')).toBe(said.stdout);
});

test('without the key, or with a damaged or renamed file, nothing is written', async () => {
  const output = join(dir, 'never.sql');
  const other = await ran([name, '--output', output], { SECRETS_KEY: randomBytes(32).toString('base64') });
  expect(other.stderr).toContain(
    `cannot be opened: it was made with the SECRETS_KEY whose id is ${createKeyring(key).current.id}`,
  );
  const archive = readFileSync(join(dir, name));
  const damaged = join(dir, 'damaged');
  const middle = Math.floor(archive.length / 2);
  archive.writeUInt8(archive.readUInt8(middle) ^ 1, middle);
  writeFileSync(damaged, archive);
  const broken = await ran([damaged, '--unverified', '--output', output]);
  expect(broken.stderr).toContain('is damaged');
  const renamed = join(dir, name.replace(/\d{8}T/, '20310101T'));
  writeFileSync(renamed, readFileSync(join(dir, name)));
  const refused = await ran([renamed]);
  expect(refused.stderr).toMatch(/is unverified: it was renamed/);
  for (const { code, stdout } of [other, broken, refused]) expect([code, stdout]).toEqual([1, '']);
  expect(existsSync(output)).toBe(false);

  const taken = await ran([renamed, '--unverified']);
  expect(taken.code).toBe(0);
  expect(taken.stderr).toMatch(/^WARNING: \S+ is unverified: it was renamed.*psql would run every command in it/);
});

test.each([[[]], [['a', 'b']], [['a', '--into', 'b']]])('%j is refused with the usage', async (args) => {
  const said = await ran(args);
  expect(said).toMatchObject({ code: 1, stdout: '' });
  expect(said.stderr).toContain('npm run backup-sql -- <file> --output out.sql');
});
