import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { restoreArchive } from '../../src/backups/restore.ts';
import { verifyArchive } from '../../src/backups/verify-archive.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/shared/log.ts';
import { ownRole } from '../support/own-role.ts';
import { backUp, folderStore, testKeyring as keyring } from './support.ts';

const log = createLog('silent');
/** Long enough for the gateway's short transactions, which keep the role's limit; the waits below are longer. */
const transactionLimitMs = 8_000;
const longMs = 9_000;

test('time limits of the database role do not end migrations, backups or restores', async () => {
  const { database, settings } = await ownRole();
  const url = await database();
  await settings({ statement_timeout: '1ms', lock_timeout: '1ms', idle_in_transaction_session_timeout: '1ms' });
  await migrateOnce(url, log);
  await settings({ transaction_timeout: `${transactionLimitMs}ms` });
  const store = folderStore();
  const { name, rowsByTable } = await backUp(url, store, { onSnapshot: () => sleep(longMs) });
  // Blocks this process in the middle of the transaction.
  let waits = 1;
  const onProgress = () => void (waits-- > 0 && Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longMs));
  const source = { name, open: () => store.read(name) };
  const { manifest } = await verifyArchive(source, { keyring });
  const restored = await restoreArchive({ url: await database(), keyring, log, onProgress }, source, manifest);
  expect(restored).toMatchObject({ rowsByTable });
});
