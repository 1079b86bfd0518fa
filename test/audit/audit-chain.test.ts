import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { whileChainIsHeld } from '../../src/audit/chain.ts';
import { auditTrail } from '../support/audit-trail.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { daysAgo } from './days-ago.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ worker: false });
});
afterAll(() => gateway.stop());

const list = '/admin/audit-logs';
const sql = (text: string, values: unknown[] = []) => gateway.rows(text, values);
const request = (method: string, path: string) => gateway.admin.request(method, path);
const purge = (query = '') => request('DELETE', `${list}${query}`);
const verify = async (query = '') => {
  const { status, body } = await request('GET', `${list}/verify${query}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
/** Calls that have an entry each, because reads that succeed are counted. */
const visits = async (count: number) => {
  for (let n = 0; n < count; n++) await request('GET', '/admin/accounts?unknown=1');
};

/** Waits for the sealer, which runs once a second. */
const sealed = () =>
  until(
    'entries are sealed',
    async () => (await sql('select 1 from audit_logs where seq is null limit 1')).length === 0,
  );

/** Restarts the gateway with an empty log. A running gateway remembers the head of its chain and would miss it. */
async function restartWithEmptyLog(): Promise<void> {
  await gateway.stop();
  gateway = await startGateway({ worker: false });
}

describe('purge', () => {
  beforeEach(restartWithEmptyLog);

  test('deletes entries older than the given days, or 90, and the rest verifies', async () => {
    await daysAgo(100, () => visits(5));
    await daysAgo(91, () => visits(4));
    await daysAgo(89, () => visits(3));
    await daysAgo(10, () => visits(2));
    await daysAgo(6, () => visits(1));
    const before = await verify();
    expect(before).toMatchObject({ ok: true });
    const entries = auditTrail(gateway.database);
    await entries();
    expect(await purge()).toMatchObject({ status: 200, body: { deleted: 9 } });
    expect(await entries()).toMatchObject([
      { action: 'audit.purge', actor: 'tester', ip_address: '127.0.0.1', details: { older_than_days: 90, deleted: 9 } },
    ]);
    expect(await verify()).toMatchObject({ ok: true, anchor: { seq: 9 }, failure: null });
    expect((await purge('?older_than_days=11')).body).toEqual({ deleted: 3 });
    expect((await purge('?older_than_days=7')).body).toEqual({ deleted: 2 });
    expect((await purge('?older_than_days=7')).body).toEqual({ deleted: 0 });
    expect((await purge('?older_than_days=36500')).body).toEqual({ deleted: 0 });
    await sealed();
    const left = await sql("select count(*)::integer as n from audit_logs where action = 'account.list'");
    expect(left).toEqual([{ n: 1 }]);
    expect(await verify()).toMatchObject({ ok: true, anchor: { seq: 14 } });
  });

  test('whose audit entry cannot be written deletes nothing', async () => {
    await daysAgo(100, () => visits(3));
    await sealed();
    await sql(
      `create function no_purge() returns trigger language plpgsql as $$ begin raise exception 'no entry'; end $$`,
    );
    await sql(
      `create trigger no_purge before insert on audit_logs for each row when (new.action = 'audit.purge') execute function no_purge()`,
    );
    expect(await purge()).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    await sql('drop function no_purge cascade');
    expect(await sql("select count(*)::integer as n from audit_logs where action = 'account.list'")).toEqual([
      { n: 3 },
    ]);
    expect(await verify()).toMatchObject({ ok: true, anchor: null });
    expect((await purge()).body).toEqual({ deleted: 3 });
  });

  test('runs concurrently with others, and each entry is deleted once', async () => {
    await daysAgo(100, () => visits(20));
    const answers = await Promise.all(Array.from({ length: 5 }, () => purge()));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(answers.reduce((sum, { body }) => sum + body.deleted, 0)).toBe(20);
    expect(await verify()).toMatchObject({ ok: true });
  });
});

describe('verify', () => {
  beforeEach(restartWithEmptyLog);

  test('reports an empty log and a sealed log', async () => {
    expect(await verify()).toEqual({ ok: true, checked: 0, unsealed: 0, head: null, anchor: null, failure: null });
    await visits(4);
    await sealed();
    const { head, ...others } = await verify();
    expect(others).toMatchObject({ ok: true, anchor: null, failure: null });
    expect(head).toEqual({ seq: others.checked, seal: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(others.checked).toBeGreaterThanOrEqual(5);
  });

  const changes: [name: string, statement: string, failure: Record<string, unknown>][] = [
    ['an actor', `update audit_logs set actor = 'mallory' where seq = 3`, { kind: 'changed', seq: 3 }],
    ['an action', `update audit_logs set action = 'account.read' where seq = 3`, { kind: 'changed', seq: 3 }],
    ['an address', `update audit_logs set ip_address = '192.0.2.9' where seq = 3`, { kind: 'changed', seq: 3 }],
    ['a time', `update audit_logs set created_at = created_at + '1us' where seq = 3`, { kind: 'changed', seq: 3 }],
    ['details', `update audit_logs set details = '{"status":404}' where seq = 3`, { kind: 'changed', seq: 3 }],
    ['the chain by a deletion', 'delete from audit_logs where seq = 3', { kind: 'missing', seq: 3, id: null }],
    [
      'the order',
      `update audit_logs set seq = 1000 where seq = 3; update audit_logs set seq = 3 where seq = 4;
       update audit_logs set seq = 4 where seq = 1000`,
      { kind: 'changed', seq: 3 },
    ],
  ];
  test.each(changes)('names the entry after a change of %s', async (_name, statement, failure) => {
    await visits(6);
    await sealed();
    const [third] = await sql('select id from audit_logs where seq = 3');
    await gateway.database.pool.query(statement);
    const found = await verify();
    expect(found).toMatchObject({ ok: false, checked: 2, failure });
    if (!('id' in failure) && !statement.includes('1000')) expect(found.failure.id).toBe(third?.id);
    // The audit entry of the call has the result.
    const [entry] = (await request('GET', `${list}?action=audit.verify&limit=1`)).body;
    expect(entry.details).toEqual({ ok: false, checked: 2, status: 200 });
  });

  test('names an entry that the gateway did not write', async () => {
    await visits(2);
    const id = '01900000-0000-7000-8000-00000000000a';
    await sql(
      `insert into audit_logs (id, actor, action, ip_address, created_at, details, mac)
       values ($1, 'mallory', 'account.read', '192.0.2.9', now(), '{}', decode(repeat('00', 32), 'hex'))`,
      [id],
    );
    expect((await verify()).failure).toMatchObject({ kind: 'foreign', id });
    await sql('delete from audit_logs where id = $1', [id]);
    expect(await verify()).toMatchObject({ ok: true });
  });

  test('a noted head shows that the newest entries were cut off, even after as many were added', async () => {
    await visits(3);
    await sealed();
    const [older] = await sql(`select seq, seal, mac from audit_chain where part = 'head'`);
    await visits(5);
    await sealed();
    const { head } = await verify();
    const noted = `?head=${head.seq}:${head.seal}`;
    expect(await verify(noted)).toMatchObject({ ok: true });
    // The gateway looks for the head once a second.
    await until('the gateway knows that head', async () => {
      await visits(1);
      return (await sql('select 1 from audit_logs where noted_seq >= $1', [head.seq])).length > 0;
    });
    await sealed();
    // An attacker with full access to the database cuts off the tail and restores an older head.
    await sql(
      `with cut as (delete from audit_logs where seq > $1)
       update audit_chain set seq = $1, seal = $2, mac = $3 where part = 'head'`,
      [older?.seq, older?.seal, older?.mac],
    );
    const first = Number(older?.seq) + 1;
    // Until the sealer has chained the entry of a later call, only a noted head shows the cut.
    await whileChainIsHeld(gateway.database, async () => {
      expect(await verify()).toMatchObject({ ok: true });
      expect((await verify(noted)).failure.kind).toBe('missing');
      expect((await verify(noted)).failure.seq).toBeGreaterThanOrEqual(first);
    });
    await visits(10);
    await sealed();
    // The gateway kept running and knew the newer head, which its entries note.
    expect(await verify()).toMatchObject({ ok: false, failure: { kind: 'changed', seq: first } });
    expect(await verify(noted)).toMatchObject({ ok: false, failure: { kind: 'changed', seq: first } });
  });

  test('a head that was noted before a purge verifies after it', async () => {
    await daysAgo(100, () => visits(3));
    await sealed();
    const { head } = await verify();
    expect(head.seq).toBe(3);
    await purge();
    expect(await verify(`?head=${head.seq}:${head.seal}`)).toMatchObject({ ok: true, anchor: head });
    expect(await verify(`?head=${head.seq}:${'0'.repeat(64)}`)).toMatchObject({ ok: false, failure: { seq: 3 } });
  });
});
