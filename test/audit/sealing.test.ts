import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { Tampered } from '../../src/audit/chain.ts';
import { Sealer } from '../../src/audit/sealer.ts';
import { verifyAuditLogs } from '../../src/audit/verify.ts';
import { inTransaction, sqlOfClient } from '../../src/database/transaction.ts';
import { randomKeyring } from '../support/keyring.ts';
import { until } from '../support/until.ts';
import { useTestLog } from './log.ts';

const log = useTestLog();
beforeEach(() => log.clear());

const entry = { actor: 'alice', action: 'event.read' as const, ipAddress: '192.0.2.1', details: {} };

test('an empty log verifies, and there is nothing to seal', async () => {
  expect(await log.sealer.seal()).toBe(0);
  expect(await log.verify()).toEqual({ ok: true, checked: 0, unsealed: 0, head: null, anchor: null, failure: null });
});

test('entries are sealed once, in their order', async () => {
  await log.write(1, 5);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 0, unsealed: 5, head: null });
  expect(await log.sealer.seal()).toBe(5);
  expect(await log.sealer.seal()).toBe(0);
  const stored = await log.sql(`select seq, details->>'n' as n from audit_logs order by seq`);
  expect(stored).toEqual(['1', '2', '3', '4', '5'].map((n) => ({ seq: n, n })));
  const { head } = await log.verify();
  await log.sealed(6, 7);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 7, head: { seq: 7 } });
  if (!head) throw new Error('there is no head');
  expect(await log.verify(head)).toMatchObject({ ok: true, checked: 7 });
});

test('an entry that commits late is sealed after entries that committed before it', async () => {
  await inTransaction(log.database.pool, async (client) => {
    await log.audit.write(sqlOfClient(client), { ...entry, details: { late: true } });
    await log.sealed(1, 3);
    expect(await log.verify()).toMatchObject({ ok: true, checked: 3, unsealed: 0 });
  });
  expect(await log.sealer.seal()).toBe(1);
  expect(await log.sql('select details from audit_logs where seq = 4')).toEqual([{ details: { late: true } }]);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 4 });
});

test('concurrent writers, sealers and verifications produce one chain without gaps', async () => {
  const sealers = [log.sealer, new Sealer(log.deps), new Sealer(log.deps)];
  let writing = true;
  const seals = sealers.map(async (sealer) => {
    let sealed = 0;
    while (writing) sealed += await sealer.seal();
    return sealed;
  });
  const checks = (async () => {
    let checked = 0;
    while (writing) {
      const verified = await log.verify();
      expect(verified.failure).toBeNull();
      expect(verified.checked).toBeGreaterThanOrEqual(checked);
      checked = verified.checked;
    }
  })();
  await Promise.all(
    // Each has a connection, so that none waits for one until that fails.
    Array.from({ length: 15 }, async (_, writer) => {
      for (let n = 0; n < 200; n++) {
        if (n % 10 > 0) await log.audit.append({ ...entry, details: { writer, n } });
        else await inTransaction(log.database.pool, (client) => log.audit.write(sqlOfClient(client), entry));
      }
    }),
  );
  writing = false;
  await checks;
  const sealed = (await Promise.all(seals)).reduce((a, b) => a + b, 0) + (await log.sealer.seal());
  expect(sealed).toBe(3_000);
  const [counts] = await log.sql(
    'select count(distinct seq) as n, min(seq) as first, max(seq) as last from audit_logs',
  );
  expect(counts).toEqual({ n: '3000', first: '1', last: '3000' });
  expect(await log.verify()).toMatchObject({ ok: true, checked: 3_000, unsealed: 0 });
});

test('a sealer that is killed while it seals leaves a valid chain', async () => {
  await log.sealed(1, 3);
  await log.write(4, 6);
  await log.database.pool.query(`
    create function kill() returns trigger language plpgsql as 'begin perform pg_terminate_backend(pg_backend_pid()); return null; end';
    create trigger kill after update on audit_chain execute function kill()`);
  await expect(log.sealer.seal()).rejects.toThrow();
  expect(await log.verify()).toMatchObject({ ok: true, checked: 3, unsealed: 3 });
  await log.database.pool.query('drop trigger kill on audit_chain; drop function kill');
  expect(await log.sealer.seal()).toBe(3);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 6, unsealed: 0 });
});

test('the loop seals new entries and logs the head at intervals, and once more when it stops', async () => {
  const lines: { msg: string; seq: number; seal: string }[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  const sealer = new Sealer({ ...log.deps, log: pino(stream) });
  sealer.start();
  await log.write(1, 3);
  await until('the loop has sealed and logged', async () => lines.length > 0);
  await log.write(4, 5);
  await sealer.stop();
  const { head } = await log.verify();
  expect(head?.seq).toBe(5);
  expect(lines.at(-1)).toMatchObject({ msg: 'audit log head', ...head });
  expect(lines.map(({ seq }) => seq)).toEqual([...new Set(lines.map(({ seq }) => seq))]);
  for (const { seq, seal } of lines) expect(await log.verify({ seq, seal })).toMatchObject({ ok: true });
});

test('with another SECRETS_KEY the log does not verify, and no entry is added to the chain', async () => {
  await log.sealed(1, 3);
  const other = { ...log.deps, keyring: randomKeyring() };
  expect(await verifyAuditLogs(other)).toMatchObject({ ok: false, checked: 0, failure: { kind: 'changed' } });
  await log.write(4, 4);
  await expect(new Sealer(other).seal()).rejects.toThrow(Tampered);
  expect(await log.sealer.seal()).toBe(1);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 4 });
});

test('a row that the gateway did not write is marked, not sealed, and named', async () => {
  await log.sealed(1, 2);
  await log.sql(`insert into audit_logs (id, actor, action, ip_address, created_at, details, mac)
    select gen_random_uuid(), 'mallory', action, ip_address, created_at, details, mac from audit_logs where seq = 1`);
  const [row] = await log.sql(`select id from audit_logs where actor = 'mallory'`);
  expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'foreign', id: row?.id } });
  await log.write(3, 3);
  expect(await log.sealer.seal()).toBe(1);
  expect(await log.verify()).toMatchObject({
    ...{ ok: false, checked: 3, unsealed: 0, head: { seq: 3 } },
    failure: { kind: 'foreign', seq: null, id: row?.id },
  });
});
