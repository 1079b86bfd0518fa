import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { from as copyFrom } from 'pg-copy-streams';
import { expect, test } from 'vitest';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { pauseDelivery, readPause } from '../../src/events/pause.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';
import { gatewaysEndWithTheirTest, spawnGateway } from '../support/gateway-process.ts';
import { queryOnce, withClient } from '../support/one-connection.ts';
import { type Content, readContent } from './content.ts';
import { fillEveryKind } from './every-kind.ts';
import { backUp, folderStore, restore } from './support.ts';

gatewaysEndWithTheirTest();
const log = createLog('silent');
const key = randomBytes(32);
const keyring = createKeyring(key);

/** The output of `backup-sql` for a backup. */
async function sqlOf(store: BackupStore, name: string): Promise<string> {
  const role = spawnGateway('backup-sql', { SECRETS_KEY: key.toString('base64'), BACKUP_DIR: store.place }, [name]);
  expect(await role.exited).toMatchObject({ code: 0 });
  expect(role.stderr()).toBe('');
  return role.stdout();
}

/** The output of `zcat` for a backup that is not encrypted. */
async function unzipped(store: BackupStore, name: string): Promise<string> {
  // Binary values are written as text, so all bytes are UTF-8.
  return gunzipSync(await buffer(await store.read(name))).toString('utf8');
}

/** Loads the text of an archive as psql does: one statement per line, and rows after each COPY. */
const load = (url: string, sql: string): Promise<void> =>
  withClient(url, async (client) => {
    const lines = sql.split('\n');
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
      if (line.startsWith('COPY ')) {
        const rows = lines.splice(0, lines.indexOf('\\.')).map((row) => `${row}\n`);
        await pipeline(Readable.from(rows), client.query(copyFrom(line.replace(/;$/, ''))));
        lines.shift();
      } else if (!/^(--|\\set ON_ERROR_STOP on$|$)/.test(line)) await client.query(line);
    }
  });

/** The rows for which a worker would act. */
const waiting = `
  select e.id, e.started_generation, e.run_id, e.swept_at, q.lane, q.generation, q.claimed_until, q.claim_token, q.direct
  from events e left join event_queue q on q.event_id = e.id order by 1`;
const commands = 'select id, claim_token, claimed_until from event_commands order by 1';

test('psql makes the same paused database from an archive, encrypted or not, as a restore', async () => {
  const gateway = await startGateway({ worker: false });
  await fillEveryKind(gateway);
  await pauseDelivery(gateway.database, "the shop's move");
  // Both backups must have the same state, and a running gateway seals its audit log.
  await gateway.stop();
  const store = folderStore();
  let content: Content = {};
  const { name: plain } = await backUp(gateway.databaseUrl, store, { keyring, encrypt: false });
  const { name } = await backUp(gateway.databaseUrl, store, {
    keyring,
    async onSnapshot(id) {
      content = await readContent(gateway.databaseUrl, id);
    },
  });

  const loaded: string[] = [];
  for (const sql of [await sqlOf(store, name), await sqlOf(store, plain), await unzipped(store, plain)]) {
    const url = await freshDatabase();
    await migrateOnce(url, log);
    await load(url, sql);
    loaded.push(url);
  }
  const restored = await freshDatabase();
  await restore(restored, store, name, keyring);
  for (const url of [...loaded, restored]) {
    expect(await readContent(url)).toEqual(content);
    const database = await openDatabase({ url, log });
    const pause = await readPause(database);
    await database.close();
    expect(pause?.reason).toMatch(/a backup of 2\d{3}-\S+Z; paused before: the shop's move$/);
    expect(pause && Math.abs(Date.now() - pause.since.getTime())).toBeLessThan(3_600_000);
  }
  for (const url of loaded) {
    expect(await queryOnce(url, waiting)).toEqual(await queryOnce(restored, waiting));
    expect(await queryOnce(url, waiting)).toContainEqual(
      expect.objectContaining({ lane: 1, started_generation: -1, claim_token: null }),
    );
    expect(await queryOnce(url, commands)).toEqual(await queryOnce(restored, commands));
  }
});
