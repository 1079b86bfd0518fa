import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { beginBackup, failBackup } from '../../src/backups/backup-rows.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { makeBackup } from '../../src/backups/make-backup.ts';
import { tidyBackups } from '../../src/backups/tidy-backups.ts';
import type { Database } from '../../src/database/database.ts';
import { ownLocks } from '../support/own-locks.ts';
import { until } from '../support/until.ts';
import { testKeyring as keyring, neverAborted } from './support.ts';
import { beforeDeletion, completed, log, made, named, place, stored } from './tidy.ts';

/** Makes a backup that is marked as failed after its file was written, and calls `act` before the worker learns of it. */
async function makeGivenUp(database: Database, store: BackupStore, act: () => Promise<void>) {
  const id = uuidv7();
  await beginBackup(database, { id, trigger: 'operator', workflowId: 'given-up' });
  const lateStore: BackupStore = {
    ...store,
    async write(name, content, signal) {
      const written = await store.write(name, content, signal);
      await failBackup(database, id, 'given up');
      await act();
      return written;
    },
  };
  return makeBackup(
    { database, store: lateStore, keep: 9, keyring, encrypt: false, log },
    id,
    neverAborted,
    () => undefined,
  );
}

const isLockWaitedFor = async (database: Database) =>
  (await database.pool.query(`select 1 from ${ownLocks} where locktype = 'advisory' and not granted`)).rows.length > 0;

test('the file of a backup that was given up is kept when another process has just found it', async () => {
  const { database, store } = await place();
  const [latest] = await made(database, store, 1);
  let isDeleted = false;
  const noted = beforeDeletion(store, () => {
    isDeleted = true;
  });
  let tidying: Promise<unknown> | undefined;
  await makeGivenUp(database, noted, async () => {
    let read = 0;
    const slow: BackupStore = {
      ...store,
      async readEnd(file, start) {
        const end = await store.readEnd(file, start);
        read += 1;
        await until('the other worker deletes the file or waits', async () => isDeleted || isLockWaitedFor(database));
        return end;
      },
    };
    tidying = tidyBackups({ database, store: slow, keyring, log }, { keep: 9, latest: latest?.id as string });
    await until('both files are read', () => read === 2);
  });
  expect(await tidying).toMatchObject({ found: 1 });
  const files = await stored(store);
  expect(files).toHaveLength(2);
  expect(await named(database)).toEqual(completed(files.map((name) => ({ name })).reverse()));
});

test('the file of a backup that was given up is not found while it is deleted', async () => {
  const { database, store } = await place();
  const [latest] = await made(database, store, 1);
  let tidying: Promise<unknown> | undefined;
  let isTidied = false;
  const slow = beforeDeletion(store, async () => {
    tidying = tidyBackups({ database, store, keyring, log }, { keep: 9, latest: latest?.id as string }).finally(() => {
      isTidied = true;
    });
    await until('the other process waits', async () => isTidied || isLockWaitedFor(database));
  });
  await expect(makeGivenUp(database, slow, async () => {})).rejects.toMatchObject({ type: 'GivenUp' });
  expect(await tidying).toMatchObject({ found: 0, lost: 0 });
  expect(await stored(store)).toEqual([latest?.name]);
  expect(await named(database)).toEqual([
    { name: null, status: 'failed' },
    { name: latest?.name, status: 'completed' },
  ]);
});
