import { Transform } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { beginBackup, listBackups } from '../../src/backups/backup-rows.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { makeBackup } from '../../src/backups/make-backup.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { migratedDatabase } from '../support/database.ts';
import { log } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { folderStore, neverAborted, testKeyring } from './support.ts';

/** A store that takes the beginning of a file, and the rest when it is released. */
function holding(store: BackupStore) {
  const released = Promise.withResolvers<void>();
  const held: BackupStore = {
    ...store,
    write(name, content, signal) {
      let bytes = 0;
      const gate = new Transform({
        transform(chunk, _, done) {
          bytes += chunk.length;
          if (bytes < 100_000) done(null, chunk);
          else released.promise.then(() => done(null, chunk), done);
        },
      });
      return store.write(name, content.pipe(gate), signal);
    },
  };
  return { store: held, release: released.resolve };
}

test('the list shows how far a running backup is, and nothing of that afterwards', async () => {
  const database = await forTest(openDatabase({ url: await migratedDatabase(), log }));
  const rows = 60_000;
  await database.pool.query(
    `insert into signing_secret_uses select gen_random_uuid(), 'current', md5(n::text), n, now() from generate_series(1, ${rows}) n`,
  );
  const id = uuidv7();
  await beginBackup(database, { id, trigger: 'operator', workflowId: 'test' });
  const { store, release } = holding(folderStore());
  const deps = { database, store, keep: 1, keyring: testKeyring, encrypt: false, log };
  const made = makeBackup(deps, id, neverAborted, () => undefined);
  const progress = await until('the progress is listed', async () => {
    const [backup] = await listBackups(database);
    return backup?.status === 'running' && backup.progress;
  });
  expect(progress.rows).toBeGreaterThan(0);
  expect(progress.rows).toBeLessThan(rows);
  expect(progress.bytes).toBeGreaterThan(0);
  expect(progress.tables).toBeLessThan(progress.all_tables);
  release();
  await made;
  const [backup] = await listBackups(database);
  expect(backup).toMatchObject({ status: 'completed', progress: null });
  expect(backup?.rows).toBeGreaterThanOrEqual(rows);
});
