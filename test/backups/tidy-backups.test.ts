import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { idOfArchive } from '../../src/backups/archive-name.ts';
import { BackupError } from '../../src/backups/backup-error.ts';
import { listBackups } from '../../src/backups/backup-rows.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { tidyBackups } from '../../src/backups/tidy-backups.ts';
import { ownLocks } from '../support/own-locks.ts';
import { until } from '../support/until.ts';
import { backUp, testKeyring as keyring } from './support.ts';
import { beforeDeletion, completed, log, made, named, place, stored } from './tidy.ts';

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
        `select pg_terminate_backend(pid) from ${ownLocks} where locktype = 'advisory'`,
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
