import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { beginBackup, listBackups } from '../../src/backups/backup-rows.ts';
import { makeBackup } from '../../src/backups/make-backup.ts';
import type { Statement } from '../../src/database/sql.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { migratedDatabase } from '../support/database.ts';
import { proxyTo } from '../support/proxy-to.ts';
import { collectLines, log } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { folderStore, testKeyring } from './support.ts';

/** A backup whose activity begins while PostgreSQL is away. */
async function begunInOutage() {
  const stopping = new AbortController();
  const databaseUrl = await migratedDatabase();
  const { proxy, url } = await proxyTo(databaseUrl);
  const direct = await forTest(openDatabase({ url: databaseUrl, log }));
  const database = await forTest(openDatabase({ url, log }));
  const id = uuidv7();
  await beginBackup(direct, { id, trigger: 'schedule', workflowId: 'test' });
  proxy.begin({ kind: 'cut' });
  const failures = collectLines('backup not begun yet, retrying');
  const deps = { database, store: folderStore(), keep: 1, keyring: testKeyring, encrypt: false, log };
  const made = makeBackup(deps, id, stopping.signal, () => undefined);
  // A test may fail before it awaits the backup.
  made.catch(() => undefined);
  onTestFinished(() => stopping.abort());
  await until('three writes have failed', () => failures.length >= 3);
  return { made, id, direct, isBack: () => proxy.end(), stop: () => stopping.abort() };
}

test('a backup that begins while PostgreSQL is away waits for it, and is made', async () => {
  const { made, id, direct, isBack } = await begunInOutage();
  isBack();
  expect(await made).toMatchObject({ rows: expect.any(Number), size_bytes: expect.any(Number) });
  expect(await listBackups(direct)).toMatchObject([{ id, status: 'completed', error: null }]);
});

test('a backup that waits for PostgreSQL is given up when another one was begun', async () => {
  const { made, id, direct, isBack } = await begunInOutage();
  await direct.pool.query(`update backups set alive_at = now() - interval '3 minutes'`);
  const next = uuidv7();
  expect(await beginBackup(direct, { id: next, trigger: 'operator', workflowId: 'next' })).toBe(true);
  isBack();
  await expect(made).rejects.toMatchObject({ type: 'GivenUp', nonRetryable: true });
  const listed = await listBackups(direct);
  expect(listed.map(({ id, status }) => [id, status])).toEqual([
    [next, 'running'],
    [id, 'failed'],
  ]);
});

test('a backup is completed even if the answer of its completion is lost, and a heartbeat finds it no longer running', async () => {
  const database = await forTest(openDatabase({ url: await migratedDatabase(), log }));
  const id = uuidv7();
  await beginBackup(database, { id, trigger: 'schedule', workflowId: 'test' });
  let completions = 0;
  let isNotRunning = false;
  const losing: typeof database = {
    ...database,
    async query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) {
      const found = await database.query<Row>(statement, values);
      if (statement.name === 'backup_is_alive' && found.length === 0) isNotRunning = true;
      if (statement.name !== 'complete_backup' || ++completions > 1) return found;
      await until('a heartbeat finds it no longer running', () => isNotRunning);
      throw new Error('Connection terminated unexpectedly');
    },
  };
  const store = folderStore();
  const deps = { database: losing, store, keep: 1, keyring: testKeyring, encrypt: false, log };
  await makeBackup(deps, id, new AbortController().signal, () => undefined);
  const [listed] = await listBackups(database);
  expect(listed).toMatchObject({ id, status: 'completed', error: null });
  expect((await store.files()).map(({ name }) => name)).toEqual([listed?.name]);
  expect(completions).toBe(2);
});

test('a worker that stops does not wait for PostgreSQL to begin a backup', async () => {
  const { made, id, direct, stop } = await begunInOutage();
  stop();
  await expect(made).rejects.toThrow(/abort/i);
  expect(await listBackups(direct)).toMatchObject([{ id, status: 'running' }]);
});
