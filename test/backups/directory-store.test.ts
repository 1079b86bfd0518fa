import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { archiveName } from '../../src/backups/archive-name.ts';
import { BackupError } from '../../src/backups/backup-error.ts';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { openBackupStore } from '../../src/backups/open-backup-store.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { queryOnce } from '../support/one-connection.ts';
import { until } from '../support/until.ts';
import { backUp, neverAborted, restore, verifiedIn } from './support.ts';

const writer = fileURLToPath(new URL('writer.ts', import.meta.url));
const newName = () => archiveName(new Date(), randomUUID());

async function* chunks(each: (n: number) => Promise<void>) {
  for (let n = 0; n < 40; n++) {
    yield randomBytes(64 * 1024);
    await each(n);
  }
}

test('only the owner can read folder and files; backups are listed newest first, read, restored and deleted', async () => {
  const dir = join(folderForTest(), 'backups');
  const store = openDirectoryStore(dir);
  expect(await verifiedIn(store)).toEqual([]);
  const url = await migratedDatabase();
  const first = await backUp(url, store);
  const second = await backUp(url, store);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  expect((await stat(join(dir, first.name))).mode & 0o777).toBe(0o600);
  expect(await verifiedIn(store)).toMatchObject([
    { name: second.name, sizeBytes: second.sizeBytes },
    { name: first.name, sizeBytes: first.sizeBytes },
  ]);
  await writeFile(join(dir, 'notes.txt'), 'mine');
  await writeFile(join(dir, newName()), 'no backup');
  expect(await verifiedIn(store)).toHaveLength(2);
  await restore(await freshDatabase(), store, first.name);
  await store.delete(first.name);
  expect((await verifiedIn(store)).map(({ name }) => name)).toEqual([second.name]);
  await expect(store.read(first.name)).rejects.toThrow(`There is no backup '${first.name}'`);
});

test.each(['../etc/passwd', 'notes.txt', ''])('an invalid name of a backup is refused: %j', async (name) => {
  const store = openDirectoryStore(folderForTest());
  await expect(store.read(name)).rejects.toThrow(BackupError);
  await expect(store.delete(name)).rejects.toThrow(BackupError);
  await expect(store.write(name, Readable.from([]), neverAborted)).rejects.toThrow(BackupError);
});

test('a full disk gives an error in words and leaves no file', async () => {
  const dir = join(folderForTest(), 'backups');
  // 2 MiB. A limit on the size of files stands for a full disk, because every system has one.
  const child = spawn('/bin/sh', ['-c', `ulimit -f 4096; exec "$0" "$1" "$2"`, process.execPath, writer, dir]);
  let output = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text;
  });
  await once(child, 'close');
  expect(output).toMatch(
    /^BackupError: The disk of the backup folder .* is full, or files there may not become so large/,
  );
  expect(await readdir(dir)).toEqual([]);
});

test('a folder that disappears during a backup, or cannot be created, gives an error in words', async () => {
  const parent = folderForTest();
  const dir = join(parent, 'backups');
  const store = openDirectoryStore(dir);
  const content = chunks(async (n) => {
    if (n === 5) await rename(dir, join(parent, 'elsewhere'));
  });
  await expect(store.write(newName(), Readable.from(content), neverAborted)).rejects.toThrow(/is gone \(ENOENT/);
  expect(await verifiedIn(store)).toEqual([]);

  const nowhere = openDirectoryStore(join(parent, 'missing', 'backups'));
  await expect(nowhere.write(newName(), Readable.from([]), neverAborted)).rejects.toThrow(/is gone \(ENOENT/);
  await writeFile(join(parent, 'file'), '');
  await expect(openDirectoryStore(join(parent, 'file')).files()).rejects.toThrow(/cannot be used \(ENOTDIR/);
});

test('the files of a killed process are never listed, and the next backup removes them', async () => {
  const dir = join(folderForTest(), 'backups');
  await mkdir(dir);
  const child = spawn(process.execPath, [writer, dir]);
  const files = () => readdir(dir);
  await until(
    'something was written',
    async () => {
      const [file] = await files();
      return file !== undefined && (await stat(join(dir, file))).size > 1024 * 1024;
    },
    { retryErrors: true },
  );
  child.kill('SIGKILL');
  await once(child, 'close');
  const store = openDirectoryStore(dir);
  expect(await files()).toEqual([expect.stringMatching(/\.unfinished$/)]);
  expect(await verifiedIn(store)).toEqual([]);
  const { name } = await backUp(await migratedDatabase(), store);
  expect(await files()).toEqual([name]);
});

test('an unreadable file with the name of a backup is logged, and does not affect other backups', async () => {
  const dir = join(folderForTest(), 'backups');
  const told: { level: number; name: string; err: { message: string } }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void told.push(JSON.parse(line)) });
  const store = openDirectoryStore(dir, log);
  const url = await migratedDatabase();
  const { name } = await backUp(url, store);
  const [folder, pipe, link, unfinished] = [newName(), newName(), newName(), `${newName()}.unfinished`];
  await mkdir(join(dir, folder));
  execFileSync('mkfifo', [join(dir, pipe)]);
  await symlink(link, join(dir, link));
  await mkdir(join(dir, unfinished));
  expect((await verifiedIn(store)).map((found) => found.name)).toEqual([name]);
  expect(told.map((line) => line.name).sort()).toEqual([folder, pipe, link].sort());
  const next = await backUp(url, store);
  expect(told.at(-1)).toMatchObject({
    level: 40,
    name: unfinished,
    err: { message: expect.stringContaining('EISDIR') },
  });
  expect((await verifiedIn(store)).map((found) => found.name).sort()).toEqual([name, next.name].sort());
});

test('a backup that is interrupted or loses its database gives an error in words and leaves no file', async () => {
  const dir = join(folderForTest(), 'backups');
  const store = openDirectoryStore(dir);
  const url = await migratedDatabase();
  await queryOnce(
    url,
    `insert into gateway_settings select n::text, convert_to(repeat(md5(random()::text), 5000), 'UTF8') from generate_series(1, 200) n`,
  );
  const stopping = new AbortController();
  const interrupted = backUp(url, store, { signal: stopping.signal, onProgress: () => stopping.abort() });
  await expect(interrupted).rejects.toThrow('The backup was interrupted.');
  expect(await readdir(dir)).toEqual([]);

  const broken = backUp(url, store, {
    async onSnapshot() {
      await queryOnce(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'webhook-gateway-backup' and datname = current_database()`,
      );
    },
  });
  await expect(broken).rejects.toThrow(BackupError);
  await expect(backUp('postgresql://127.0.0.1:1/none', store)).rejects.toThrow(/could not be read.*ECONNREFUSED/);
  expect(await readdir(dir)).toEqual([]);
  // No connection is left open.
  await until('the snapshots have ended', async () => {
    const text = `select 1 from pg_stat_activity where application_name = 'webhook-gateway-backup' and datname = current_database()`;
    return (await queryOnce(url, text)).length === 0;
  });
});

test('without BACKUP_DIR and bucket there is no store', async () => {
  await expect(openBackupStore({ dir: null, url: null }, createLog('silent'))).rejects.toThrow(
    /BACKUP_DIR.*BACKUP_URL/,
  );
});
