import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { beginBackup, listBackups } from '../../src/backups/backup-rows.ts';
import { makeBackup } from '../../src/backups/make-backup.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { TcpProxy } from '../faults/tcp-proxy.ts';
import { migratedDatabase } from '../support/database.ts';
import { collectLines, log } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { folderStore, testKeyring } from './support.ts';

/** A backup whose activity begins while PostgreSQL is away. */
async function begunInOutage() {
  const stopping = new AbortController();
  const url = new URL(await migratedDatabase());
  const way = await forTest(new TcpProxy(Number(url.port)));
  const direct = await forTest(openDatabase({ url: url.href, log }));
  url.host = `127.0.0.1:${await way.listen()}`;
  const database = await forTest(openDatabase({ url: url.href, log }));
  const id = uuidv7();
  await beginBackup(direct, { id, trigger: 'schedule', workflowId: 'test' });
  way.begin({ kind: 'cut' });
  const failures = collectLines('backup not begun yet, retrying');
  const deps = { database, store: folderStore(), keep: 1, keyring: testKeyring, encrypt: false, log };
  const made = makeBackup(deps, id, stopping.signal, () => undefined);
  // A test may fail before it awaits the backup.
  made.catch(() => undefined);
  onTestFinished(() => stopping.abort());
  await until('three writes have failed', () => failures.length >= 3);
  return { made, id, direct, isBack: () => way.end(), stop: () => stopping.abort() };
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

test('a worker that stops does not wait for PostgreSQL to begin a backup', async () => {
  const { made, id, direct, stop } = await begunInOutage();
  stop();
  await expect(made).rejects.toThrow(/abort/i);
  expect(await listBackups(direct)).toMatchObject([{ id, status: 'running' }]);
});
