import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { AuditDetails } from '../../src/audit/entry.ts';
import { listAuditLogs } from '../../src/audit/query.ts';
import { BatcherFull } from '../../src/database/batcher.ts';
import { inEntityTransaction, inTransaction, sqlOfClient } from '../../src/database/transaction.ts';
import { auditActions } from '../../src/http/admin/actions.ts';
import { useTestLog } from './log.ts';

const log = useTestLog();
beforeEach(() => log.clear());

const newest = async () => (await listAuditLogs(log.database.reader, { limit: 1 }))[0];
const who = { actor: 'alice', ipAddress: '192.0.2.1' };

test.each<[string, AuditDetails]>([
  ['nothing', {}],
  ['unicode', { é: '👩‍👩‍👧 Ω \u2028 \u202e', 'a\\b"c': '\b\f\n\r\t\u0001\u007f' }],
  ['numbers', { a: 1e21, b: -0.1, c: 5e-324, d: Number.MAX_SAFE_INTEGER, e: 1.7976931348623157e308, f: 1e-7 }],
  ['nesting', { a: [[], [{}], [{ b: [null, true, false, ['']] }]] }],
  ['keys out of order', { z: 1, a: 2, '10': 3, '9': 4, Z: 5, '': 6, constructor: 7 }],
  ['text that looks like escapes', { a: '\\u0000 \\\\u0000 \\ud800', b: '\\', c: '\\"' }],
])('details are read back unchanged, and verify: %s', async (_what, details) => {
  await log.audit.append({ ...who, action: 'account.update', details });
  const stored = (await newest())?.details;
  expect(JSON.stringify(stored)).toBe(JSON.stringify(details));
  expect(await log.verify()).toMatchObject({ ok: true, unsealed: 1 });
  await log.sealer.seal();
  expect(await log.verify()).toMatchObject({ ok: true, unsealed: 0, checked: 1 });
});

test('any JSON is read back unchanged, and verifies', async () => {
  const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 });
  const details = fc.dictionary(fc.string({ unit: 'binary' }), value);
  await fc.assert(
    fc.asyncProperty(details, async (given) => {
      const text = JSON.stringify(given);
      await log.clear();
      await log.audit.append({ ...who, action: 'event.read', details: JSON.parse(text) });
      expect(await log.verify()).toMatchObject({ ok: true });
      const kept = JSON.stringify((await newest())?.details);
      if (!text.includes('\\u0000')) expect(JSON.parse(kept)).toEqual(JSON.parse(text));
    }),
    { numRuns: 100 },
  );
});

test('characters that PostgreSQL refuses are replaced, in names too, and other entries are not affected', async () => {
  const bad = { actor: 'a\0b\ud800c', ipAddress: '\0', details: { 'k\0': 'v\0', half: ['\udc00x', '\\u0000'] } };
  const entries = [{ ...who, details: { n: 1 } }, bad, { ...who, details: { n: 2 } }];
  await Promise.all(entries.map((entry) => log.audit.append({ ...entry, action: 'auth.denied' })));
  const list = await listAuditLogs(log.database.reader, { limit: 10 });
  expect(list).toHaveLength(3);
  expect(list.find(({ actor }) => actor !== 'alice')).toMatchObject({
    actor: 'a\ufffdb\ufffdc',
    ip_address: '\ufffd',
    details: { 'k\ufffd': 'v\ufffd', half: ['\ufffdx', '\\u0000'] },
  });
  // The column can be read with SQL too.
  expect(await log.sql(`select details->'half'->>0 as half from audit_logs where actor <> 'alice'`)).toEqual([
    { half: '\ufffdx' },
  ]);
  await log.sealer.seal();
  expect(await log.verify()).toMatchObject({ ok: true, checked: 3 });
});

test('very long texts are cut', async () => {
  const long = '👍'.repeat(100_000);
  await log.audit.append({ actor: long, ipAddress: long, action: 'auth.denied', details: { long, deep: [{ long }] } });
  const entry = await newest();
  expect([...(entry?.actor ?? '')]).toHaveLength(255);
  expect(JSON.stringify(entry?.details).length).toBeLessThan(5_000);
  expect(await log.verify()).toMatchObject({ ok: true, unsealed: 1 });
});

test('an entry that PostgreSQL refuses as too deep fails alone', async () => {
  const deep: AuditDetails = JSON.parse(`{"a":${'['.repeat(7_000)}${']'.repeat(7_000)}}`);
  const settled = await Promise.allSettled(
    [{ n: 1 }, deep, { n: 2 }].map((details) => log.audit.append({ ...who, action: 'event.read', details })),
  );
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await log.sql('select count(*)::integer as n from audit_logs')).toEqual([{ n: 2 }]);
});

test('a change and its entry are one transaction', async () => {
  const entry = { ...who, action: 'account.create' as const, details: { é: '\0' } };
  const em = log.database.orm.em.fork();
  await inEntityTransaction(em, async (_inside, sql) => log.audit.write(sql, entry));
  await inTransaction(log.database.pool, (client) => log.audit.write(sqlOfClient(client), entry));
  const fails = (work: Promise<unknown>) => expect(work).rejects.toThrow('never mind');
  await fails(
    inEntityTransaction(em, async (_inside, sql) => {
      await log.audit.write(sql, entry);
      throw new Error('never mind');
    }),
  );
  await fails(
    inTransaction(log.database.pool, async (client) => {
      await log.audit.write(sqlOfClient(client), entry);
      throw new Error('never mind');
    }),
  );
  expect(await log.sealer.seal()).toBe(2);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 2 });
});

test('entries beyond the limit of waiting ones are refused, and the others are written', async () => {
  const all = Promise.allSettled(
    Array.from({ length: 6_000 }, (_, n) => log.audit.append({ ...who, action: 'event.read', details: { n } })),
  );
  // Entries read the head of the chain. These reads must not queue for connections before the entries do.
  expect(log.database.pool.waitingCount).toBeLessThan(10);
  const settled = await all;
  const refused = settled.filter((result) => result.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(BatcherFull);
  expect(await log.sealer.seal()).toBe(6_000 - refused.length);
});

test('an entry has the time of its creation, and the column fits every action', async () => {
  const before = Date.now();
  await Promise.all(auditActions.map((action) => log.audit.append({ ...who, action, details: {} })));
  const list = await listAuditLogs(log.database.reader, { limit: 100 });
  expect(list.map(({ action }) => action).sort()).toEqual([...auditActions].sort());
  for (const { timestamp } of list) expect(timestamp.getTime()).toBeGreaterThanOrEqual(before);
});
