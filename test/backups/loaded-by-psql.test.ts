import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { expect, test } from 'vitest';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { pauseDelivery, readPause } from '../../src/events/pause.ts';
import { createLog } from '../../src/log.ts';
import { freshDatabase } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';
import { queryOnce } from '../support/gateway-roles.ts';
import { type Content, readContent } from './content.ts';
import { fillEveryKind } from './every-kind.ts';
import { backUp, folderStore, restore } from './support.ts';

const log = createLog('silent');

/** Does what psql does with the text of an archive: a statement a line, and rows behind each COPY. */
async function load(url: string, store: BackupStore, name: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of await store.read(name)) chunks.push(chunk);
  // Binary values are text without any byte that is not of UTF-8.
  const lines = gunzipSync(Buffer.concat(chunks)).toString('utf8').split('\n');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
      if (line.startsWith('COPY ')) {
        const rows = lines.splice(0, lines.indexOf('\\.')).map((row) => `${row}\n`);
        await pipeline(Readable.from(rows), client.query(copyFrom(line.replace(/;$/, ''))));
        lines.shift();
      } else if (!/^(--|\\set ON_ERROR_STOP on$|$)/.test(line)) await client.query(line);
    }
  } finally {
    await client.end();
  }
}

/** What a worker would go by. */
const waiting = `
  select e.id, e.started_generation, e.run_id, e.swept_at, q.lane, q.generation, q.claimed_until, q.claim_token, q.direct
  from events e left join event_queue q on q.event_id = e.id order by 1`;
const commands = 'select id, claim_token, claimed_until from event_commands order by 1';

test('an archive that psql loads makes the paused database that a restore makes', async () => {
  const gateway = await startGateway({ worker: false });
  await fillEveryKind(gateway);
  await pauseDelivery(gateway.database, "the shop's move");
  const store = folderStore();
  let content: Content = {};
  const { name } = await backUp(gateway.databaseUrl, store, {
    async onSnapshot(id) {
      content = await readContent(gateway.databaseUrl, id);
    },
  });
  await gateway.stop();

  const [loaded, restored] = [await freshDatabase(), await freshDatabase()];
  await migrateOnce(loaded, log);
  await load(loaded, store, name);
  await restore(restored, store, name);
  for (const url of [loaded, restored]) {
    expect(await readContent(url)).toEqual(content);
    const database = await openDatabase({ url, log });
    const pause = await readPause(database);
    await database.close();
    expect(pause?.reason).toMatch(/a backup of 2\d{3}-\S+Z; paused before: the shop's move$/);
    expect(pause && Math.abs(Date.now() - pause.since.getTime())).toBeLessThan(3_600_000);
  }
  expect(await queryOnce(loaded, waiting)).toEqual(await queryOnce(restored, waiting));
  expect(await queryOnce(loaded, waiting)).toContainEqual(
    expect.objectContaining({ lane: 1, started_generation: -1, claim_token: null }),
  );
  expect(await queryOnce(loaded, commands)).toEqual(await queryOnce(restored, commands));
});
