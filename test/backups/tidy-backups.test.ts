import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { archiveName, idOfArchive } from '../../src/backups/archive-name.ts';
import { BackupError } from '../../src/backups/backup-error.ts';
import { listBackups } from '../../src/backups/backup-rows.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { tidyBackups } from '../../src/backups/tidy-backups.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { createLog } from '../../src/shared/log.ts';
import { migratedDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { backUp, testKeyring as keyring, testFolder, verifiedIn } from './support.ts';

const log = createLog('silent');

async function place() {
  const url = await migratedDatabase();
  const database = await openDatabase({ url, log });
  onTestFinished(() => database.close());
  return { database, store: openDirectoryStore(join(testFolder(), 'backups')) };
}

/** Creates backups in the folder, each with its row, oldest first. */
async function made(database: Database, store: BackupStore, count: number) {
  const backups: { id: string; name: string }[] = [];
  for (let n = 0; n < count; n++) {
    const { name, sizeBytes } = await backUp(database.url, store);
    const id = idOfArchive(name) as string;
    await database.pool.query(`insert into backups (id, status, name, size_bytes) values ($1, 'completed', $2, $3)`, [
      ...[id, name, sizeBytes],
    ]);
    backups.push({ id, name });
  }
  return backups;
}

const named = async (database: Database) => (await listBackups(database)).map(({ name, status }) => ({ name, status }));
const completed = (backups: { name: string }[]) => backups.map(({ name }) => ({ name, status: 'completed' })).reverse();
const stored = async (store: BackupStore) => (await verifiedIn(store)).map(({ name }) => name);

/** A store that calls `act` before it deletes a file. */
const beforeDeletion = (store: BackupStore, act: () => Promise<void> | void): BackupStore => ({
  ...store,
  async delete(name) {
    await act();
    await store.delete(name);
  },
});

test('while two processes delete the oldest backups, the list shows none of them as failed', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 6);
  const latest = backups.at(-1)?.id as string;
  const seen: unknown[] = [];
  const slowly = beforeDeletion(store, async () => {
    seen.push(...(await named(database)));
  });
  const counts = await Promise.all(
    [1, 2].map(() => tidyBackups({ database, store: slowly, keyring, log }, { keep: 2, latest })),
  );
  expect(counts).toEqual(
    expect.arrayContaining([
      { lost: 0, found: 0, unverified: 0, pruned: 4 },
      { lost: 0, found: 0, unverified: 0, pruned: 0 },
    ]),
  );
  expect(seen).toHaveLength(4 * 6);
  expect(seen).not.toContainEqual(expect.objectContaining({ status: 'failed' }));
  expect(await named(database)).toEqual(completed(backups.slice(-2)));
  expect(await stored(store)).toHaveLength(2);
});

test('after an interrupted deletion no backup is listed as lost', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 5);
  const latest = backups.at(-1)?.id as string;
  let deletions = 0;
  const breaking = beforeDeletion(store, () => {
    deletions += 1;
    if (deletions === 2) throw new BackupError('the store went away');
  });
  await expect(tidyBackups({ database, store: breaking, keyring, log }, { keep: 2, latest })).rejects.toThrow(
    'the store went away',
  );
  expect(await stored(store)).toHaveLength(4);
  expect(await named(database)).toEqual(completed(backups));
  await tidyBackups({ database, store, keyring, log }, { keep: 2, latest });
  expect(await named(database)).toEqual(completed(backups.slice(-2)));
  expect(await stored(store)).toHaveLength(2);
});

test('foreign files displace no backup, are listed as unverified, and are never deleted', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 3);
  const [first] = backups;
  const future = new Date('2031-01-01T00:00:00Z');
  const foreign: string[] = [];
  const put = async (name: string, content: Buffer | string) => {
    await writeFile(join(store.place, name), content);
    foreign.push(name);
  };
  const genuine = await readFile(join(store.place, first?.name as string));
  // A genuine backup with later dates and other ids, one of another key, and files that are no backups.
  for (let n = 0; n < 5; n++) await put(archiveName(future, randomUUID()), genuine);
  const other = createKeyring(randomBytes(32));
  const { name: theirs } = await backUp(database.url, store, { keyring: other });
  foreign.push(theirs);
  await put(archiveName(future, randomUUID()), 'no backup');
  const tidied = await tidyBackups({ database, store, keyring, log }, { keep: 3, latest: backups[2]?.id as string });
  expect(tidied).toEqual({ lost: 0, found: 0, unverified: 7, pruned: 0 });
  const listed = await listBackups(database);
  expect(listed.filter(({ status }) => status === 'completed').map(({ name }) => name)).toEqual(
    backups.map(({ name }) => name).reverse(),
  );
  const unverified = listed.filter(({ status }) => status === 'unverified');
  expect(unverified.map(({ name }) => name).sort()).toEqual([...foreign].sort());
  for (const { created_at } of unverified) expect(created_at.getTime()).toBeLessThan(Date.now() + 60_000);
  expect(unverified.find(({ name }) => name === theirs)?.error).toContain(
    `the SECRETS_KEY whose id is ${other.current.id}`,
  );
  // Only the oldest backups are deleted, and they leave the list.
  await rm(join(store.place, theirs));
  await tidyBackups({ database, store, keyring, log }, { keep: 1, latest: backups[2]?.id as string });
  expect(await stored(store)).toEqual([backups[2]?.name]);
  const left = (await listBackups(database)).filter(({ status }) => status === 'unverified').map(({ name }) => name);
  expect(left.sort()).toEqual(foreign.filter((name) => name !== theirs).sort());
  expect((await readdir(store.place)).sort()).toEqual([...left, backups[2]?.name].sort());
});

test('an old backup that is put back counts by the time in its manifest, and is deleted first', async () => {
  const { database, store } = await place();
  const [old, ...newer] = await made(database, store, 4);
  const file = join(store.place, old?.name as string);
  const bytes = await readFile(file);
  const latest = newer.at(-1)?.id as string;
  await tidyBackups({ database, store, keyring, log }, { keep: 3, latest });
  expect(await stored(store)).toEqual(newer.map(({ name }) => name).reverse());
  await writeFile(file, bytes);
  await utimes(file, new Date('2031-01-01'), new Date('2031-01-01'));
  const tidied = await tidyBackups({ database, store, keyring, log }, { keep: 3, latest });
  expect(tidied).toEqual({ lost: 0, found: 1, unverified: 0, pruned: 1 });
  expect(await stored(store)).toEqual(newer.map(({ name }) => name).reverse());
});

test('a backup with a changed file is unverified and does not count; with its own file it is completed', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 3);
  await database.pool.query(`update backups set sha256 = repeat('0', 64)`);
  const latest = backups[2]?.id as string;
  const file = join(store.place, backups[1]?.name as string);
  const bytes = await readFile(file);
  await writeFile(file, bytes.subarray(0, bytes.length - 1));
  const tidy = (keep: number) => tidyBackups({ database, store, keyring, log }, { keep, latest });
  // Only two backups count, so the oldest of the three stays.
  expect(await tidy(2)).toEqual({ lost: 0, found: 0, unverified: 1, pruned: 0 });
  expect((await named(database)).map(({ status }) => status)).toEqual(['completed', 'unverified', 'completed']);
  await rm(file);
  expect(await tidy(2)).toEqual({ lost: 1, found: 0, unverified: 0, pruned: 0 });
  await writeFile(file, bytes);
  expect(await tidy(3)).toEqual({ lost: 0, found: 1, unverified: 0, pruned: 0 });
  expect(await named(database)).toEqual(completed(backups));
});

test('a backup that a wrong clock dated in the future neither counts nor is deleted', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 4);
  await database.pool.query(`update backups set created_at = now() + interval '5 years' where name = any($1)`, [
    backups.slice(0, 2).map(({ name }) => name),
  ]);
  const tidied = await tidyBackups({ database, store, keyring, log }, { keep: 2, latest: backups[3]?.id as string });
  expect(tidied).toMatchObject({ pruned: 0 });
  expect(await stored(store)).toHaveLength(4);
});

test('very many foreign files take at most a hundred rows of the list', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 1);
  for (let n = 0; n < 150; n++)
    await writeFile(join(store.place, archiveName(new Date('2031-01-01T00:00:00Z'), randomUUID())), 'flood');
  for (let n = 0; n < 2; n++) {
    await tidyBackups({ database, store, keyring, log }, { keep: 3, latest: backups[0]?.id as string });
    const statuses = (await listBackups(database)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'unverified')).toHaveLength(100);
    expect(statuses).toContain('completed');
  }
});

test('a lost backup is listed as failed until there are enough newer ones', async () => {
  const { database, store } = await place();
  const [first, lost, third] = await made(database, store, 3);
  await store.delete(lost?.name as string);
  const tidied = await tidyBackups({ database, store, keyring, log }, { keep: 3, latest: third?.id as string });
  expect(tidied).toEqual({ lost: 1, found: 0, unverified: 0, pruned: 0 });
  expect(await named(database)).toEqual([
    { name: third?.name, status: 'completed' },
    { name: lost?.name, status: 'failed' },
    { name: first?.name, status: 'completed' },
  ]);
  const newer = await made(database, store, 2);
  await tidyBackups({ database, store, keyring, log }, { keep: 3, latest: newer[1]?.id as string });
  const kept = [third, ...newer].flatMap((backup) => backup ?? []);
  expect(await named(database)).toEqual(completed(kept));
});

test('the file of a backup that is just being completed is not listed as unverified', async () => {
  const { database, store } = await place();
  const [latest] = await made(database, store, 1);
  const { name } = await backUp(database.url, store);
  const id = idOfArchive(name);
  await database.pool.query(`insert into backups (id, status) values ($1, 'running')`, [id]);
  const tidied = await tidyBackups({ database, store, keyring, log }, { keep: 9, latest: latest?.id as string });
  expect(tidied).toEqual({ lost: 0, found: 0, unverified: 0, pruned: 0 });
  const { rows } = await database.pool.query('select id, status from backups order by status');
  expect(rows).toEqual([
    { id: latest?.id, status: 'completed' },
    { id, status: 'running' },
  ]);
});

test('a backup that is completed while the files are listed is not listed as lost', async () => {
  const { database, store } = await place();
  const [latest] = await made(database, store, 1);
  const late: { name: string }[] = [];
  const meanwhile: BackupStore = {
    ...store,
    async files() {
      const files = await store.files();
      late.push(...(await made(database, store, 1)));
      return files;
    },
  };
  const tidied = await tidyBackups(
    { database, store: meanwhile, keyring, log },
    { keep: 9, latest: latest?.id as string },
  );
  expect(tidied).toEqual({ lost: 0, found: 0, unverified: 0, pruned: 0 });
  expect(await named(database)).toEqual(completed([latest ?? { name: '' }, ...late]));
});

test('a failed backup becomes completed when its file is found', async () => {
  const { database, store } = await place();
  const [latest] = await made(database, store, 1);
  const { name, sizeBytes } = await backUp(database.url, store);
  const id = idOfArchive(name);
  await database.pool.query(`insert into backups (id, status, error) values ($1, 'failed', 'x')`, [id]);
  const tidied = await tidyBackups({ database, store, keyring, log }, { keep: 9, latest: latest?.id as string });
  expect(tidied).toEqual({ lost: 0, found: 1, unverified: 0, pruned: 0 });
  const found = (await listBackups(database)).filter((backup) => backup.name === name);
  expect(found).toMatchObject([{ id, status: 'completed', size_bytes: sizeBytes, error: null }]);
});

test('a connection that breaks while the files are listed gives an error and changes nothing', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 3);
  const latest = backups.at(-1)?.id as string;
  const breaking: BackupStore = {
    ...store,
    async files() {
      const ended = await database.pool.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
           and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(ended.rows).toHaveLength(1);
      const open = () =>
        database.pool.query(
          'select 1 from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database() and state like $1',
          ['idle in%'],
        );
      await until('the connection is closed', async () => (await open()).rows.length === 0);
      return store.files();
    },
  };
  await expect(tidyBackups({ database, store: breaking, keyring, log }, { keep: 1, latest })).rejects.toThrow(
    /connection|terminat/i,
  );
  expect(await named(database)).toEqual(completed(backups));
  await tidyBackups({ database, store, keyring, log }, { keep: 1, latest });
  expect(await named(database)).toEqual(completed(backups.slice(-1)));
});
