import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { until } from '../support/until.ts';
import { otherGateway, releasedAfterTest, startErrorOf, temporaryFolder } from './helpers.ts';

test('a new folder is created, and keeps its secrets when it is opened again', () => {
  const folder = join(temporaryFolder(), 'deep', 'data');
  const first = openDataDir(folder);
  const made = first.secret('admin-token', () => 'one');
  first.release();
  first.release();

  const second = releasedAfterTest(openDataDir(folder));
  expect(made).toBe('one');
  expect(second.secret('admin-token', () => 'two')).toBe('one');
  expect(statSync(join(folder, 'secrets', 'admin-token')).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(join(folder, 'gateway.json'), 'utf8'))).toEqual({ format: 1 });
});

test('parents of a new folder have the usual mode, so that the database user of a gateway that runs as root may enter them', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'usual'));
  releasedAfterTest(openDataDir(join(folder, 'deep', 'data')));
  const [usual, deep, data] = ['usual', 'deep', join('deep', 'data')].map((name) => statSync(join(folder, name)).mode);
  expect(deep).toBe(usual);
  // Only its owner may list the folder itself.
  expect((data ?? 0) & 0o766).toBe(0o700);
});

test('an empty folder, and one with only files of the operating system, is accepted', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'lost+found'));
  // Left by a start that was killed before it renamed its marker.
  writeFileSync(join(folder, 'gateway.json.new'), '');
  releasedAfterTest(openDataDir(folder));
  expect(readdirSync(folder)).toContain('gateway.json');
});

test('a folder with only the key for a restore is accepted, and the key is kept', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(join(folder, 'secrets', 'secrets-key'), 'the copy\n');
  writeFileSync(join(folder, 'secrets', 'secrets-key-3f9c01ab'), 'a retired key\n');
  const dataDir = releasedAfterTest(openDataDir(folder));
  expect(dataDir.secret('secrets-key', () => 'other')).toBe('the copy');
});

test.each([
  ['a file that is no secret of a gateway', ['secrets/passwords.txt']],
  ['a key, but with other files', ['secrets/secrets-key', 'thesis.txt']],
])('a folder of secrets with %s is refused and left unchanged', async (_, files) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'secrets'));
  for (const file of files) writeFileSync(join(folder, file), 'years of work');
  const before = readdirSync(folder, { recursive: true });
  expect(await startErrorOf(() => openDataDir(folder))).toContain('DATA_DIR');
  expect(readdirSync(folder, { recursive: true })).toEqual(before);
});

test('a file named secrets is refused', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'secrets'), 'years of work');
  expect(await startErrorOf(() => openDataDir(folder))).toContain('(secrets)');
});

test('a folder with other files is refused and left unchanged', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'thesis.txt'), 'years of work');
  const message = await startErrorOf(() => openDataDir(folder));
  expect(message).toContain('thesis.txt');
  expect(message).toContain('DATA_DIR');
  expect(readdirSync(folder)).toEqual(['thesis.txt']);
});

test.each([
  ['', 'damaged'],
  ['{"format":', 'damaged'],
  ['{"format":"one"}', 'damaged'],
  ['{"format":2}', 'newer gateway'],
])('the marker %j is refused and left unchanged', async (content, expected) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gateway.json'), content);
  expect(await startErrorOf(() => openDataDir(folder))).toContain(expected);
  expect(readdirSync(folder)).toEqual(['gateway.json']);
  expect(readFileSync(join(folder, 'gateway.json'), 'utf8')).toBe(content);
});

test('a file with the name of the folder is refused', async () => {
  const file = join(temporaryFolder(), 'data');
  writeFileSync(file, '');
  expect(await startErrorOf(() => openDataDir(file))).toContain('DATA_DIR');
});

test('an empty secret file is refused, not replaced', async () => {
  const dataDir = releasedAfterTest(openDataDir(temporaryFolder()));
  dataDir.secret('secrets-key', () => 'key');
  writeFileSync(join(dataDir.path, 'secrets', 'secrets-key'), '');
  expect(await startErrorOf(() => dataDir.secret('secrets-key', () => 'other'))).toContain('Restore it');
});

test('a second gateway is refused with the pid of the first, and can start once that was killed', async () => {
  const folder = temporaryFolder();
  const other = await otherGateway(folder);
  expect(await startErrorOf(() => openDataDir(folder))).toContain(`(process ${other.pid})`);

  process.kill(other.pid, 'SIGKILL');
  const taken = await until('the folder is free', () => releasedAfterTest(openDataDir(folder)), { retryErrors: true });
  expect(taken.path).toBe(folder);
  // The same process is refused too.
  expect(await startErrorOf(() => openDataDir(folder))).toContain(`(process ${process.pid})`);
});

test('the lock on the folder survives garbage collection', async () => {
  const folder = temporaryFolder();
  setFlagsFromString('--expose-gc');
  const collectGarbage: unknown = runInNewContext('gc');
  if (typeof collectGarbage !== 'function') throw new Error('there is no gc()');
  openDataDir(folder);
  collectGarbage();
  // Finalizers run in a later turn of the event loop.
  await sleep(50);
  expect(await startErrorOf(() => openDataDir(folder))).toContain('Another gateway');
});
