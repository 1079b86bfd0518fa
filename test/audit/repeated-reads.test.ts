import { expect, test } from 'vitest';
import { RepeatedReads } from '../../src/audit/repeated-reads.ts';
import { send } from '../support/admin-client.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles, type Roles } from '../support/gateway-roles.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { openTestLog } from './log.ts';
import { withinOneHour } from './within-one-hour.ts';

gatewaysEndWithTheirTest();

interface Entry {
  actor: string;
  action: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the fields of details
  details: any;
}
const entriesOf = (roles: Pick<Roles, 'query'>, action: string) =>
  roles.query<Entry>('select actor, action, details from audit_logs where action = $1 order by id', [action]);

test('of reads that repeat, the first is an entry, and one closing entry has the number of the others', async () => {
  await withinOneHour();
  const reader = secretText('another-reader');
  const roles = await migratedRoles({ ADMIN_TOKENS: `reader:${reader}:read` });
  const [one, other] = [await roles.apiHere(), await roles.apiHere()];
  const [account] = [await one.admin.createAccount({}), await one.admin.createAccount({})];
  for (let n = 0; n < 5; n++) await one.admin.request('GET', '/admin/delivery/stats');
  for (let n = 0; n < 3; n++) await other.admin.request('GET', '/admin/delivery/stats');
  await fetch(`${one.baseUrl}/admin/delivery/stats`, { headers: { 'x-admin-token': reader } });
  for (let n = 0; n < 2; n++) await one.admin.request('GET', `/admin/accounts/${account.id}`);
  const stats = () => entriesOf(roles, 'delivery.stats');
  expect((await stats()).map(({ actor, details }) => [actor, details.calls])).toEqual([
    ...[
      ['admin', undefined],
      ['admin', undefined],
      ['reader', undefined],
    ],
  ]);
  await one.stop();
  await other.stop();
  const closing = (await stats()).filter(({ details }) => details.calls !== undefined);
  expect(closing.map(({ actor, details }) => [actor, details.calls])).toEqual([
    ['admin', 4],
    ['admin', 2],
  ]);
  for (const { details } of closing) expect(Date.parse(details.since)).toBeLessThanOrEqual(Date.parse(details.until));
  // The ids in the path tell reads apart.
  expect((await entriesOf(roles, 'account.read')).map(({ details }) => details)).toMatchObject([
    { account_id: account.id, status: 200 },
    { account_id: account.id, calls: 1 },
  ]);
});

test('a token that is created again with another scope has entries of its own, and each closing entry has the scope', async () => {
  await withinOneHour();
  const roles = await migratedRoles({});
  const api = await roles.apiHere();
  const scopes = [{ app_key: 'one' }, { app_key: 'other' }];
  for (const scope of scopes) {
    const { body } = await api.admin.post('/admin/tokens', { name: 'scoped', role: 'read', ...scope });
    for (let n = 0; n < 3; n++)
      await fetch(`${api.baseUrl}/admin/accounts`, { headers: { 'x-admin-token': body.token } });
    await api.admin.request('DELETE', `/admin/tokens/${body.id}`);
  }
  await api.stop();
  const entries = (await entriesOf(roles, 'account.list')).map(({ details }) => [details.token_scope, details.calls]);
  expect(entries).toEqual([...scopes.map((scope) => [scope, undefined]), ...scopes.map((scope) => [scope, 2])]);
});

test('reads of a payload, changes and failed calls stay one by one', async () => {
  await withinOneHour();
  const roles = await migratedRoles({});
  const api = await roles.apiHere();
  const account = await api.admin.createAccount({});
  const { body } = await send(api.baseUrl, account, '{"id":"1"}');
  const paths = [`/admin/events/${body.id}`, `/admin/events/${body.id}/payload`, '/admin/events?limit=nothing'];
  for (const path of [...paths, ...paths, ...paths])
    await fetch(`${api.baseUrl}${path}`, { headers: { 'x-admin-token': roles.variables.ADMIN_TOKEN ?? '' } });
  for (let n = 0; n < 3; n++) await api.admin.post(`/admin/events/${body.id}/ack`);
  await api.stop();
  const found = await roles.query<{ action: string; n: number; counted: number }>(
    `select action, count(*)::integer as n, count(details ->> 'calls')::integer as counted from audit_logs
     where action in ('event.read', 'event.payload', 'event.list', 'event.ack') group by 1 order by 1`,
  );
  expect(found).toEqual(
    ['event.ack', 'event.list', 'event.payload', 'event.read'].map((action) => ({ action, n: 3, counted: 0 })),
  );
});

test('no header and no parameter makes a read count, or not', async () => {
  await withinOneHour();
  const roles = await migratedRoles({});
  const api = await roles.apiHere();
  for (const [path, headers] of [
    ['/admin/events', {}],
    ['/admin/events?limit=1', { 'x-automatic': 'true' }],
    ['/admin/events?provider=generic', { purpose: 'prefetch' }],
    ['/admin/events', { 'user-agent': 'curl' }],
  ] as const)
    expect(
      (
        await fetch(`${api.baseUrl}${path}`, {
          headers: { 'x-admin-token': roles.variables.ADMIN_TOKEN ?? '', ...headers },
        })
      ).status,
    ).toBe(200);
  await api.stop();
  expect((await entriesOf(roles, 'event.list')).map(({ details }) => details.calls)).toEqual([undefined, 3]);
});

test('each clock hour begins with an entry, closes with one, and the closing entries are part of the chain', async () => {
  const log = await openTestLog();
  let nowMs = Date.UTC(2026, 10, 27, 10, 59, 59);
  const reads = new RepeatedReads({
    ...{ sql: log.database, audit: log.audit, log: log.deps.log, now: () => nowMs, lookMs: 20 },
  });
  reads.start();
  const read = (id: string) =>
    reads.record(
      { actor: 'ann', ipAddress: '192.0.2.1', action: 'account.read', details: { status: 200, account_id: id } },
      { account_id: id },
    );
  for (let n = 0; n < 3; n++) await read('a');
  await read('b');
  const details = async () =>
    (await log.database.pool.query('select details from audit_logs order by id')).rows.map((row) => row.details);
  expect(await details()).toEqual([
    { status: 200, account_id: 'a' },
    { status: 200, account_id: 'b' },
  ]);
  nowMs += 2_000;
  await read('a');
  const closed = await until('the first hour is closed', async () => {
    const all = await details();
    return all.length === 4 && all;
  });
  expect(closed.filter(({ calls }) => calls !== undefined)).toEqual([
    { account_id: 'a', calls: 2, since: '2026-11-27T10:59:59.000Z', until: '2026-11-27T10:59:59.000Z' },
  ]);
  await reads.stop();
  expect(await details()).toHaveLength(4);
  await log.sealer.seal();
  expect(await log.verify()).toMatchObject({ ok: true, checked: 4, failure: null });
});

test('a read is refused when its first entry cannot be written, and the next one is the first again', async () => {
  const log = await openTestLog();
  let isDown = true;
  const audit = {
    write: log.audit.write.bind(log.audit),
    append: (entry: Parameters<typeof log.audit.append>[0]) =>
      isDown ? Promise.reject(new Error('the database is down')) : log.audit.append(entry),
  };
  const reads = new RepeatedReads({ sql: log.database, audit, log: log.deps.log });
  const read = () =>
    reads.record({ actor: 'ann', ipAddress: '192.0.2.1', action: 'account.list', details: { status: 200 } }, {});
  const both = await Promise.allSettled([read(), read()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  await read();
  await read();
  await reads.stop();
  const { rows } = await log.database.pool.query('select details from audit_logs order by id');
  expect(rows.map((row) => row.details.calls)).toEqual([undefined, 1]);
});
