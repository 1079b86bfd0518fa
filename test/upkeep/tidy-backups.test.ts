import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { idOfArchive } from '../../src/backups/archive-name.ts';
import { BackupError } from '../../src/backups/backup-error.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createLog } from '../../src/log.ts';
import { listBackups } from '../../src/upkeep/backup-rows.ts';
import { tidyBackups } from '../../src/upkeep/tidy-backups.ts';
import { backUp, testFolder } from '../backups/support.ts';
import { migratedDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const log = createLog('silent');

async function place() {
  const url = await migratedDatabase();
  const database = await openDatabase({ url, log });
  onTestFinished(() => database.close());
  return { database, store: openDirectoryStore(join(testFolder(), 'backups')) };
}

/** Backups in the folder, each with its row, oldest first. */
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
const stored = async (store: BackupStore) => (await store.list()).map(({ name }) => name);

/** A store that does something before it deletes a file. */
const beforeDeletion = (store: BackupStore, act: () => Promise<void> | void): BackupStore => ({
  ...store,
  async delete(name) {
    await act();
    await store.delete(name);
  },
});

test('while the oldest are pruned, by two at once, the list shows none of them as failed', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 6);
  const latest = backups.at(-1)?.id as string;
  const seen: unknown[] = [];
  const slowly = beforeDeletion(store, async () => {
    seen.push(...(await named(database)));
  });
  const counts = await Promise.all([1, 2].map(() => tidyBackups(database, slowly, { keep: 2, latest })));
  expect(counts).toEqual(
    expect.arrayContaining([
      { lost: 0, found: 0, pruned: 4 },
      { lost: 0, found: 0, pruned: 0 },
    ]),
  );
  expect(seen).toHaveLength(4 * 6);
  expect(seen).not.toContainEqual(expect.objectContaining({ status: 'failed' }));
  expect(await named(database)).toEqual(completed(backups.slice(-2)));
  expect(await stored(store)).toHaveLength(2);
});

test('pruning that is interrupted leaves nothing that looks like a loss', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 5);
  const latest = backups.at(-1)?.id as string;
  let deletions = 0;
  const breaking = beforeDeletion(store, () => {
    deletions += 1;
    if (deletions === 2) throw new BackupError('the store went away');
  });
  await expect(tidyBackups(database, breaking, { keep: 2, latest })).rejects.toThrow('the store went away');
  expect(await stored(store)).toHaveLength(4);
  expect(await named(database)).toEqual(completed(backups));
  await tidyBackups(database, store, { keep: 2, latest });
  expect(await named(database)).toEqual(completed(backups.slice(-2)));
  expect(await stored(store)).toHaveLength(2);
});

test('one that is lost is listed as failed until there are newer ones enough', async () => {
  const { database, store } = await place();
  const [first, lost, third] = await made(database, store, 3);
  await store.delete(lost?.name as string);
  const tidied = await tidyBackups(database, store, { keep: 3, latest: third?.id as string });
  expect(tidied).toEqual({ lost: 1, found: 0, pruned: 0 });
  expect(await named(database)).toEqual([
    { name: third?.name, status: 'completed' },
    { name: lost?.name, status: 'failed' },
    { name: first?.name, status: 'completed' },
  ]);
  const newer = await made(database, store, 2);
  await tidyBackups(database, store, { keep: 3, latest: newer[1]?.id as string });
  const kept = [third, ...newer].flatMap((backup) => backup ?? []);
  expect(await named(database)).toEqual(completed(kept));
});

test('the file of a backup that is just being completed is no stranger', async () => {
  const { database, store } = await place();
  const [latest] = await made(database, store, 1);
  const { name } = await backUp(database.url, store);
  const id = idOfArchive(name);
  await database.pool.query(`insert into backups (id, status) values ($1, 'running')`, [id]);
  const tidied = await tidyBackups(database, store, { keep: 9, latest: latest?.id as string });
  expect(tidied).toEqual({ lost: 0, found: 0, pruned: 0 });
  const { rows } = await database.pool.query('select id, status from backups order by status');
  expect(rows).toEqual([
    { id: latest?.id, status: 'completed' },
    { id, status: 'running' },
  ]);
});

test('one that is completed while the files are listed is not lost', async () => {
  const { database, store } = await place();
  const [latest] = await made(database, store, 1);
  const late: { name: string }[] = [];
  const meanwhile: BackupStore = {
    ...store,
    async list() {
      const files = await store.list();
      late.push(...(await made(database, store, 1)));
      return files;
    },
  };
  const tidied = await tidyBackups(database, meanwhile, { keep: 9, latest: latest?.id as string });
  expect(tidied).toEqual({ lost: 0, found: 0, pruned: 0 });
  expect(await named(database)).toEqual(completed([latest ?? { name: '' }, ...late]));
});

test('a backup that failed after its file was written is completed when the file is found', async () => {
  const { database, store } = await place();
  const [latest] = await made(database, store, 1);
  const { name, sizeBytes } = await backUp(database.url, store);
  const id = idOfArchive(name);
  await database.pool.query(`insert into backups (id, status, error) values ($1, 'failed', 'x')`, [id]);
  const tidied = await tidyBackups(database, store, { keep: 9, latest: latest?.id as string });
  expect(tidied).toEqual({ lost: 0, found: 1, pruned: 0 });
  const found = (await listBackups(database)).filter((backup) => backup.name === name);
  expect(found).toMatchObject([{ id, status: 'completed', size_bytes: sizeBytes, error: null }]);
});

test('a connection that breaks while the files are listed ends it with an error, and nothing has changed', async () => {
  const { database, store } = await place();
  const backups = await made(database, store, 3);
  const latest = backups.at(-1)?.id as string;
  const breaking: BackupStore = {
    ...store,
    async list() {
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
      await until('it is gone', async () => (await open()).rows.length === 0);
      return store.list();
    },
  };
  await expect(tidyBackups(database, breaking, { keep: 1, latest })).rejects.toThrow(/connection|terminat/i);
  expect(await named(database)).toEqual(completed(backups));
  await tidyBackups(database, store, { keep: 1, latest });
  expect(await named(database)).toEqual(completed(backups.slice(-1)));
});
