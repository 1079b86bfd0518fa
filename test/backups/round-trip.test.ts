import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { verifyAuditLogs } from '../../src/audit/verify.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { whileLocked } from '../../src/database/while-locked.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { startConsumer } from '../support/consumer.ts';
import { freshDatabase } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { type Content, readContent } from './content.ts';
import { fillEveryKind } from './every-kind.ts';
import { sendPaced } from './paced-webhooks.ts';
import { backUp, folderStore, restore, verifiedIn } from './support.ts';

const log = createLog('silent');

const webhooksPerSecond = 100;
/** Attempts of one event with little repetition: more bytes than the streams of a backup hold. */
const manyAttempts = `
  insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body, url)
  select (select id from events order by id limit 1), 1, 'manual', n, now(), random(), 'http_error', 500,
    (select string_agg(md5(n::text || m), '') from generate_series(1, 20) m), ''
  from generate_series(1, 5000) n`;

/** Pieces of a backup that wait for webhooks: enough for a second report of its progress. */
const slowPieces = 30;

/** A store that takes the next piece of a backup only when another webhook was accepted, so that the backup lasts. */
function slowStore(accepted: () => number): BackupStore {
  const store = folderStore();
  const pieces = async function* (content: Readable) {
    let n = 0;
    for await (const piece of content) {
      const before = accepted();
      if (n++ < slowPieces) await until('a webhook is accepted', () => accepted() > before);
      yield piece;
    }
  };
  return { ...store, write: (name, content, signal) => store.write(name, Readable.from(pieces(content)), signal) };
}

test('a restored database equals the snapshot row by row, although webhooks came in during the backup', async () => {
  const gateway = await startGateway();
  const consumer = await startConsumer(200);
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const { body } = await gateway.send(account, '{"id":"delivered"}');
  await gateway.admin.eventually(body.id, (event) => event.delivery_status === 'delivered');
  // A worker would act on some of the rows.
  await gateway.stopWorker();
  await fillEveryKind(gateway);
  await until('entries of the audit log are sealed', async () => {
    const found = await gateway.rows('select 1 from audit_chain');
    return found.length > 0;
  });
  await gateway.database.pool.query(manyAttempts);
  const load = sendPaced(gateway.baseUrl, account, webhooksPerSecond);
  const store = slowStore(load.accepted);
  await until('webhooks come in', () => load.accepted() > webhooksPerSecond);

  const expected = Promise.withResolvers<Content>();
  const before = load.ids();
  const seen = { atSnapshot: 0, fromMs: 0, whileRead: [] as number[] };
  const summary = await backUp(gateway.databaseUrl, store, {
    async onSnapshot(id) {
      expected.resolve(await readContent(gateway.databaseUrl, id));
      seen.atSnapshot = load.accepted();
      seen.fromMs = performance.now();
    },
    onProgress: () => seen.whileRead.push(load.accepted()),
  });
  const readMs = performance.now() - seen.fromMs;
  const whileRead = load.accepted() - seen.atSnapshot;
  const { due, accepted, refused } = await load.end();
  console.info(
    `${whileRead} webhooks were accepted in the ${Math.round(readMs)} ms in which the backup read ${summary.rows} rows: ${Math.round((whileRead * 1000) / readMs)} a second of ${webhooksPerSecond}`,
  );
  // Each webhook that was due was accepted, and some while the backup was reading rows.
  expect([accepted, refused]).toEqual([due, []]);
  expect(new Set(seen.whileRead).size).toBeGreaterThan(1);
  const { keyring } = gateway;
  await gateway.stop();
  await consumer.close();

  const snapshot = await expected.promise;
  expect(before.filter((id) => !snapshot.events?.some((row) => row.includes(id)))).toEqual([]);
  for (const [table, found] of Object.entries(snapshot)) expect(found.length, `rows of ${table}`).toBeGreaterThan(0);
  expect(Object.keys(summary.rowsByTable).sort()).toEqual(Object.keys(snapshot).sort());

  const url = await freshDatabase();
  const restored = await restore(url, store, summary.name);
  const content = await readContent(url);
  for (const [table, found] of Object.entries(snapshot)) expect(content[table], table).toEqual(found);
  expect(Object.keys(content)).toEqual(Object.keys(snapshot));
  expect(restored.rowsByTable).toEqual(summary.rowsByTable);

  const database = await openDatabase({ url, log });
  const pauses = await rows(
    database,
    `select convert_from(value, 'UTF8')::json as pause from gateway_settings where key = 'delivery_paused'`,
  );
  expect(pauses[0]?.pause.reason).toContain(summary.name);
  const claims = 'select 1 from event_queue where claim_token is not null or claimed_until is not null';
  expect(await rows(database, claims)).toEqual([]);
  // Sequences continue after the restored values.
  const [command] = await rows(
    database,
    `insert into event_commands (event_id, kind, generation) select id, 'ack', 0 from events limit 1
     returning id > (select max(id) from event_commands) as is_new`,
  );
  expect(command?.is_new).toBe(true);
  const verified = await verifyAuditLogs({ database, keyring }, { head: restored.manifest.audit_head ?? undefined });
  expect(verified).toMatchObject({ ok: true, failure: null });
  await database.close();
});

test('partitions that are created or dropped while the snapshot is taken do not fail the backup', async () => {
  const gateway = await startGateway({ worker: false });
  const store = folderStore();
  const { pool } = gateway.database;
  const blocker = await pool.connect();
  const [day] = await gateway.rows(`select max(relname) as name from pg_class where relname ~ '^events_[0-9]{8}$'`);
  await blocker.query('begin');
  await blocker.query(`lock table ${day?.name} in access exclusive mode`);
  const backup = backUp(gateway.databaseUrl, store);
  await until('the backup waits for the table', async () => {
    const waiting = `select 1 from pg_stat_activity where application_name = 'webhook-gateway-backup' and wait_event_type = 'Lock' and datname = current_database()`;
    return (await gateway.rows(waiting)).length > 0;
  });
  await blocker.query(`drop table ${day?.name}`);
  await blocker.query('commit');
  blocker.release();
  const { name } = await backup;
  expect((await verifiedIn(store)).map((found) => found.name)).toEqual([name]);
  await gateway.stop();
});

test('while a backup reads, partitions of other days can be dropped and created, and events come in', async () => {
  const gateway = await startGateway({ worker: false });
  const account = await gateway.admin.createAccount({});
  const summary = await backUp(gateway.databaseUrl, folderStore(), {
    async onSnapshot() {
      // The backup locks no table against these statements: it would hold the lock during all tries. Other statements of the
      // gateway, which read the tables, are slow on a busy machine.
      const change = (statement: string) =>
        whileLocked(
          () => gateway.database.pool.query(`set lock_timeout = '1s'; ${statement}`),
          { tries: 30, pauseMs: 100 },
          () => undefined,
        );
      await change(`create table events_20300101 partition of events for values
        from ('01b9a000-0000-0000-0000-000000000000') to ('01b9a100-0000-0000-0000-000000000000')`);
      await change('drop table events_20300101');
      expect((await gateway.send(account, '{"id":"meanwhile"}')).status).toBe(202);
    },
  });
  // This event came after the snapshot.
  expect(summary.rowsByTable.events).toBe(0);
  await gateway.stop();
});
