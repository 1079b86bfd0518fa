import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { purgeAuditLogs } from '../../src/audit/purge.ts';
import { listAuditLogs } from '../../src/audit/query.ts';
import { verifyAuditLogs } from '../../src/audit/verify.ts';
import { randomKeyring } from '../support/keyring.ts';
import { useTestLog } from './log.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
// Four entries in a transaction, so that few entries need several transactions.
const log = useTestLog(4);
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  await log.clear();
});
afterEach(() => vi.useRealTimers());

const onDay = (day: number) => vi.setSystemTime(startMs + day * dayMs);
const purges = () => listAuditLogs(log.database.reader, { action: 'audit.purge', limit: 100 });
const left = async () =>
  (await log.sql(`select details->>'n' as n from audit_logs where action <> 'audit.purge' order by seq`)).map(({ n }) =>
    Number(n),
  );

test('older entries are deleted, the rest verifies from the anchor, and the purge’s entry has it', async () => {
  await log.sealed(1, 3);
  onDay(5);
  await log.sealed(4, 5);
  onDay(10);
  await log.write(6, 6);
  expect(await log.purge(7)).toBe(3);
  expect(await left()).toEqual([4, 5, 6]);
  const { anchor, ...rest } = await log.verify();
  expect(rest).toMatchObject({ ok: true, checked: 3, unsealed: 1, head: { seq: 6 } });
  expect(anchor).toEqual({ seq: 3, seal: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(await purges()).toMatchObject([
    { actor: 'bob', ip_address: '192.0.2.9', details: { older_than_days: 7, deleted: 3, foreign_deleted: 0, anchor } },
  ]);
  await log.sealed(7, 9);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 7, anchor });
});

test('a second purge continues after the first and deletes its entry; a purge of nothing has an entry', async () => {
  await log.sealed(1, 2);
  onDay(8);
  expect(await log.purge(7)).toBe(2);
  expect(await log.purge(7)).toBe(0);
  expect((await purges()).map(({ details }) => details.deleted)).toEqual(expect.arrayContaining([0, 2]));
  expect((await purges()).map(({ details }) => details.anchor)).toEqual(
    Array(2).fill({ seq: 2, seal: expect.anything() }),
  );
  onDay(20);
  await log.sealed(3, 4);
  // The entries of both purges are old enough to be deleted by now.
  expect(await log.purge(7)).toBe(2);
  expect(await left()).toEqual([3, 4]);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 2, unsealed: 1, anchor: { seq: 4 } });
  expect(await purges()).toHaveLength(1);
});

test('a whole log can be purged, and an empty one', async () => {
  expect(await log.purge()).toBe(0);
  expect(await purges()).toMatchObject([{ details: { deleted: 0, anchor: null } }]);
  expect(await log.verify()).toMatchObject({ ok: true, unsealed: 1 });
  await log.sealed(1, 9);
  onDay(30);
  expect(await log.purge()).toBe(10);
  expect(await left()).toEqual([]);
  expect(await log.verify()).toMatchObject({ ok: true, checked: 0, head: { seq: 10 }, anchor: { seq: 10 } });
  await log.sealed(11, 12);
  expect(await log.verify()).toMatchObject({ ok: true, unsealed: 0, head: { seq: 15 } });
});

test('only the beginning of the chain is purged: an older entry that was sealed after a newer one stays', async () => {
  onDay(5);
  await log.sealed(1, 1);
  onDay(0);
  await log.sealed(2, 2);
  onDay(10);
  expect(await log.purge(7)).toBe(0);
  expect(await left()).toEqual([1, 2]);
  expect(await log.verify()).toMatchObject({ ok: true });
  onDay(20);
  expect(await log.purge(7)).toBe(3);
});

test('an entry of exactly the given age stays', async () => {
  await log.sealed(1, 1);
  vi.setSystemTime(startMs + 7 * dayMs);
  expect(await log.purge(7)).toBe(0);
  vi.setSystemTime(startMs + 7 * dayMs + 1);
  expect(await log.purge(7)).toBe(1);
});

test.each([4, 8, 9, 11])(
  '%i entries are purged in transactions of four, each with anchor and entry',
  async (entries) => {
    await log.sealed(1, entries);
    onDay(10);
    expect(await log.purge()).toBe(entries);
    const details = (await purges()).map((row) => row.details);
    expect(details.map(({ deleted }) => Number(deleted)).reduce((a, b) => a + b)).toBe(entries);
    expect(details).toHaveLength(Math.ceil(entries / 4));
    expect(await log.verify()).toMatchObject({ ok: true, anchor: { seq: entries } });
  },
);

test('when a purge is killed between two transactions, the log verifies and the next purge continues', async () => {
  await log.sealed(1, 11);
  await log.database.pool.query(`
    create function kill() returns trigger language plpgsql as $$ begin
      if (select seq from audit_chain where part = 'anchor') >= 8 then perform pg_terminate_backend(pg_backend_pid()); end if;
      return null; end $$;
    create trigger kill after update on audit_chain execute function kill()`);
  onDay(10);
  await expect(log.purge()).rejects.toThrow();
  await log.database.pool.query('drop trigger kill on audit_chain; drop function kill');
  expect(await log.verify()).toMatchObject({ ok: true, anchor: { seq: 4 } });
  expect(await left()).toEqual([5, 6, 7, 8, 9, 10, 11]);
  expect(await log.purge()).toBe(7);
  expect(await log.verify()).toMatchObject({ ok: true, anchor: { seq: 11 } });
});

test('purges, sealers and verifications can run concurrently', async () => {
  await log.sealed(1, 50);
  onDay(10);
  const all = await Promise.all([
    ...Array.from({ length: 4 }, () => log.purge()),
    ...Array.from({ length: 3 }, async () => {
      await log.sealer.seal();
      return 0;
    }),
    ...Array.from({ length: 8 }, async () => {
      expect((await log.verify()).failure).toBeNull();
      return 0;
    }),
  ]);
  expect(all.reduce((a, b) => a + b)).toBe(50);
  await log.sealer.seal();
  expect(await log.verify()).toMatchObject({ ok: true, unsealed: 0, anchor: { seq: 50 } });
});

test('a purge stops before an entry that was tampered with, so that the evidence stays', async () => {
  await log.sealed(1, 9);
  await log.sql(`update audit_logs set actor = 'somebody else' where seq = 6`);
  onDay(10);
  expect(await log.purge()).toBe(5);
  const found = { kind: 'changed', seq: 6 };
  expect(await log.verify()).toMatchObject({ ok: false, anchor: { seq: 5 }, failure: found });
  expect((await purges()).filter(({ details }) => details.stopped)).toMatchObject([{ details: { stopped: found } }]);
  expect(await log.purge()).toBe(0);
  expect(await left()).toEqual([6, 7, 8, 9]);
});

test('a purge stops at a gap, and ignores a creation time that was changed', async () => {
  await log.sealed(1, 5);
  await log.sql('delete from audit_logs where seq = 3');
  onDay(10);
  expect(await log.purge()).toBe(2);
  expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'missing', seq: 3 } });
  await log.clear();
  await log.sealed(6, 8);
  await log.sql(`update audit_logs set created_at = created_at - interval '1 year'`);
  expect(await log.purge()).toBe(0);
  expect(await left()).toEqual([6, 7, 8]);
});

test('with another SECRETS_KEY, or a forged head, nothing is purged', async () => {
  await log.sealed(1, 3);
  onDay(10);
  const wrong = { ...log.deps, keyring: randomKeyring() };
  expect(await purgeAuditLogs(wrong, { olderThanDays: 7, actor: 'x', ipAddress: 'x' })).toBe(0);
  expect(await left()).toEqual([1, 2, 3]);
  await log.sql(`update audit_chain set seq = 2 where part = 'head'`);
  expect(await log.purge()).toBe(0);
  expect(await left()).toEqual([1, 2, 3]);
  expect((await verifyAuditLogs(log.deps)).failure).toMatchObject({ kind: 'changed' });
});

test('a purge follows the clock of PostgreSQL', async () => {
  vi.useRealTimers();
  await log.sealed(1, 3);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * dayMs });
  expect(await purgeAuditLogs(log.deps, { olderThanDays: 7, actor: 'x', ipAddress: 'x' })).toBe(0);
  expect(await left()).toEqual([1, 2, 3]);
});

test('a foreign row is purged by the time when it was found, and the purge’s entry counts it', async () => {
  await log.sealed(1, 2);
  await log.sql(`insert into audit_logs (id, actor, action, ip_address, created_at, details, mac)
    select gen_random_uuid(), 'mallory', 'account.read', '', '2020-01-01', '{}', 'x' from generate_series(1, 5)`);
  await log.sealer.seal();
  expect(await log.purge()).toBe(0);
  // The time of the finding is that of the database's clock, which the test does not set.
  vi.setSystemTime(Date.now() + 365 * 10 * dayMs);
  expect(await log.purge()).toBe(8);
  expect((await purges()).map(({ details }) => details.foreign_deleted).sort()).toEqual([1, 4]);
  expect(await log.verify()).toMatchObject({ ok: true });
});

test('a purged entry that is inserted again counts as foreign', async () => {
  await log.sealed(1, 3);
  await log.keep();
  onDay(10);
  await log.purge();
  await log.sql('insert into audit_logs select * from kept_audit_logs where seq = 2');
  expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'foreign', seq: 2 } });
  // The same holds if it looks like a new, unsealed entry.
  await log.sql('update audit_logs set seq = null, seal = null where seq = 2');
  expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'foreign', seq: null } });
  await log.sealer.seal();
  expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'foreign', seq: null } });
});

test('a restored older anchor is found, with and without its entries', async () => {
  await log.sealed(1, 3);
  onDay(5);
  await log.sealed(4, 6);
  onDay(10);
  expect(await log.purge(7)).toBe(3);
  await log.sealed(7, 7);
  await log.keep();
  onDay(15);
  expect(await log.purge(7)).toBe(3);
  await log.sealer.seal();
  await log.sql(`delete from audit_chain where part = 'anchor'`);
  await log.sql(`insert into audit_chain select * from kept_audit_chain where part = 'anchor'`);
  expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'missing', seq: 4 } });
  await log.sql('insert into audit_logs select * from kept_audit_logs k where seq between 4 and 6');
  expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'changed', seq: 3 } });
});

test('a log without the entry of the purge that set its anchor does not verify', async () => {
  await log.sealed(1, 3);
  onDay(10);
  await log.purge();
  await log.sql(`delete from audit_logs where action = 'audit.purge'`);
  expect(await log.verify()).toMatchObject({ ok: false, failure: { kind: 'missing', seq: 3 } });
});

test.each([0, 6, 7.5, Number.NaN, -90])('%d days are refused', async (days) => {
  await expect(log.purge(days)).rejects.toThrow(RangeError);
});
