import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { archiveName, idOfArchive } from '../../src/backups/archive-name.ts';
import { listBackups } from '../../src/backups/backup-rows.ts';
import { tidyBackups } from '../../src/backups/tidy-backups.ts';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { backUp, testKeyring as keyring } from './support.ts';
import { completed, log, made, named, place, stored } from './tidy.ts';

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
