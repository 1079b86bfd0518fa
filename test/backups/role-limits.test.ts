import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { restoreArchive } from '../../src/backups/restore.ts';
import { verifyArchive } from '../../src/backups/verify-archive.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { createLog } from '../../src/log.ts';
import { freshDatabase } from '../support/database.ts';
import { backUp, folderStore } from './support.ts';

const log = createLog('silent');
/** The gateway's short transactions have the role's limit, so it is one that they keep, and waits are longer. */
const transactionLimitMs = 2_000;
const longMs = 3_000;

/** A role that may only do so much at a time, as some administrators have them, and how it reaches databases of its own. */
async function limitedRole() {
  const adminUrl = await freshDatabase();
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const role = `limited_${randomBytes(6).toString('hex')}`;
  await admin.query(`create role ${role} login password 'limited'`);
  const databases: string[] = [];
  onTestFinished(async () => {
    for (const database of databases) await admin.query(`drop database ${database} with (force)`);
    await admin.query(`drop role ${role}`);
    await admin.end();
  });
  return {
    async database() {
      const database = `${role}_${databases.length}`;
      await admin.query(`create database ${database} owner ${role}`);
      databases.push(database);
      const url = new URL(adminUrl);
      return Object.assign(url, { username: role, password: 'limited', pathname: `/${database}` }).href;
    },
    /** From the next connection on. */
    async limit(settings: Record<string, string>) {
      for (const [name, value] of Object.entries(settings))
        await admin.query(`alter role ${role} set ${name} = '${value}'`);
    },
  };
}

test('limits of the role end neither a migration, nor a backup, nor a restore', async () => {
  const { database, limit } = await limitedRole();
  const url = await database();
  await limit({ statement_timeout: '1ms', lock_timeout: '1ms', idle_in_transaction_session_timeout: '1ms' });
  await migrateOnce(url, log);
  await limit({ transaction_timeout: `${transactionLimitMs}ms` });
  const store = folderStore();
  const { name, rowsByTable } = await backUp(url, store, { onSnapshot: () => sleep(longMs) });
  // This process stands still in the middle of the one transaction.
  let waits = 1;
  const onProgress = () => void (waits-- > 0 && Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longMs));
  const source = { name, open: () => store.read(name) };
  const manifest = await verifyArchive(source);
  const restored = await restoreArchive({ url: await database(), log, onProgress }, source, manifest);
  expect(restored).toMatchObject({ rowsByTable });
});
