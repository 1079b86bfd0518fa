import { beforeAll, describe, expect, test } from 'vitest';
import { rawRequest } from '../support/raw-http.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';

const ann = { name: 'ann', token: secretText('token-of-ann') };
const list = '/admin/audit-logs';
const gateway = useGateway({ worker: false, adminTokens: [ann], trustedProxies: ['127.0.0.1'] });
beforeAll(async () => {
  // 1,030 entries, alternating between two actors, two actions and three addresses.
  // Few at a time: all lock the same row, and none may wait long for a connection or the lock.
  for (let n = 0; n < 1_030; n += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => visit(n + i)));
});

const tokenOf = (actor: string) => (actor === 'ann' ? ann.token : gateway.adminToken);
const kinds = (n: number) => ({
  actor: ['ann', 'tester'][n % 2] ?? '',
  action: ['delivery.pause', 'delivery.resume'][(n >> 1) % 2] ?? '',
  ip_address: ['192.0.2.1', '192.0.2.2', '2001:db8::1'][n % 3] ?? '',
});
async function visit(n: number) {
  const { actor, action, ip_address } = kinds(n);
  // Reads that succeed are counted, and changes are not.
  const path = action === 'delivery.pause' ? '/admin/delivery/pause' : '/admin/delivery/resume';
  const headers = { 'x-admin-token': tokenOf(actor), 'x-forwarded-for': ip_address };
  const answer = await rawRequest(gateway.baseUrl, { method: 'POST', path, headers });
  if (answer.status !== 200) throw new Error(answer.text);
}

interface Entry {
  id: string;
  actor: string;
  action: string;
  ip_address: string;
  timestamp: string;
  details: Record<string, unknown>;
}
const get = (query: Record<string, string> | string = '') =>
  gateway.admin.request('GET', `${list}?${new URLSearchParams(query)}`);
async function entries(query: Record<string, string> = {}): Promise<Entry[]> {
  const { status, body } = await get(query);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}
const idsWhere = async (condition: string, values: unknown[] = []) =>
  (await gateway.rows(`select id from audit_logs where ${condition} order by id desc`, values)).map(({ id }) => id);

describe('the list', () => {
  test('shows the documented fields, newest entry first, 100 by default', async () => {
    const shown = await entries();
    expect(shown).toHaveLength(100);
    for (const entry of shown)
      expect(entry).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        actor: expect.stringMatching(/^(ann|tester)$/),
        action: expect.stringMatching(/^[a-z]+\.[a-z_]+$/),
        ip_address: expect.any(String),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        details: expect.objectContaining({ status: 200 }),
      });
    const times = shown.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort().reverse());
    expect(shown.map(({ id }) => id)).toEqual((await idsWhere('true')).slice(1, 101));
  });

  test.each([
    ['1', 1],
    ['1000', 1000],
    ['0999', 999],
  ])('limit %s', async (limit, length) => {
    expect(await entries({ limit })).toHaveLength(length);
  });

  const filters: Record<string, string>[] = [
    {},
    { actor: 'ann' },
    { action: 'delivery.pause' },
    { ip_address: '192.0.2.2' },
    { ip_address: '2001:db8::1' },
    { actor: 'tester', action: 'delivery.resume' },
    { actor: 'ann', ip_address: '2001:db8::1' },
    { actor: 'ann', action: 'delivery.pause', ip_address: '192.0.2.1' },
    { actor: 'ANN' },
    { actor: 'an' },
    { actor: '' },
    { action: 'account' },
    { action: 'no.such' },
    { ip_address: '192.0.2.2 ' },
    { actor: "' or 1=1 --" },
  ];
  test.each(filters)('filtered by %j, alone and with since', async (filter) => {
    const names = Object.keys(filter);
    const condition = names.map((name, index) => `${name} = $${index + 1}`).join(' and ') || 'true';
    const wanted = await idsWhere(condition, Object.values(filter));
    expect((await entries({ ...filter, limit: '1000' })).map(({ id }) => id)).toEqual(wanted.slice(0, 1000));
    const [middle] = await gateway.rows('select created_at from audit_logs order by id offset 515 limit 1');
    const since: Date = middle?.created_at;
    const later = await idsWhere(`${condition} and created_at > $${names.length + 1}`, [
      ...Object.values(filter),
      since,
    ]);
    // By now the call of the list has an entry itself.
    const shown = await entries({ ...filter, since: since.toISOString(), limit: '1000' });
    expect(shown.map(({ id }) => id)).toEqual(later);
  });

  test('since is exclusive to the millisecond, and accepts time zones, dates and distant times', async () => {
    const [newest] = await entries({ actor: 'ann', limit: '1' });
    if (!newest) throw new Error('there is no entry');
    const at = new Date(newest.timestamp);
    const of = async (since: string) => (await entries({ actor: 'ann', since, limit: '1000' })).map(({ id }) => id);
    expect(await of(at.toISOString())).not.toContain(newest.id);
    const justBefore = new Date(at.getTime() - 1);
    expect(await of(justBefore.toISOString())).toContain(newest.id);
    const elsewhere = new Date(justBefore.getTime() + 330 * 60_000).toISOString().replace('Z', '+05:30');
    expect(await of(elsewhere)).toContain(newest.id);
    expect(await of('2020-01-01')).toHaveLength(515);
    expect(await of('0001-01-01T00:00:00Z')).toHaveLength(515);
    expect(await of('9999-12-31T23:59:59.999Z')).toEqual([]);
  });

  test.each([
    [{}],
    [{ actor: 'ann', ip_address: '192.0.2.1', action: 'delivery.resume' }],
    [{ ip_address: '192.0.2.2' }],
  ])('the Link header leads through all pages of %j, without duplicates or gaps', async (filter) => {
    const names = Object.keys(filter);
    const condition = names.map((name, index) => `${name} = $${index + 1}`).join(' and ') || 'true';
    const wanted = await idsWhere(condition, Object.values(filter));
    const seen: string[] = [];
    let next: string | null = `${list}?${new URLSearchParams({ ...filter, limit: '37' })}`;
    while (next) {
      const answer = await gateway.admin.request('GET', next);
      expect(answer.status).toBe(200);
      expect(answer.body.length).toBeLessThanOrEqual(37);
      seen.push(...answer.body.map(({ id }: Entry) => id));
      // Entries that are added while paging are newer, so they shift no page.
      await visit(seen.length);
      const link = answer.headers.get('link');
      next = link && (/^<(\/admin\/audit-logs\?[^>]+)>; rel="next"$/.exec(link)?.[1] ?? 'no link');
      if (answer.body.length < 37) expect(next).toBeNull();
    }
    expect(seen).toEqual(wanted);
  });

  test.each<[query: string, path: string]>([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=abc', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['since=yesterday', 'since'],
    ['since=', 'since'],
    ['since=2026-02-30', 'since'],
    ['since=2026-13-01T00:00:00Z', 'since'],
    ['since=2026-11-20T10:00:00', 'since'],
    ['since=1763632800', 'since'],
    ['since=%00', 'since'],
    ['since=2026-11-20&since=2026-11-21', 'since'],
    ['before=1', 'before'],
    ['before=', 'before'],
    ['before=%00', 'before'],
    [`before=${'0'.repeat(36)}`, 'before'],
    ['actor=%00', 'actor'],
    ['action=a%00b', 'action'],
    ['ip_address=%00', 'ip_address'],
    [`actor=${'x'.repeat(501)}`, 'actor'],
    ['actor=ann&actor=tester', 'actor'],
    ['offset=1', 'offset'],
    ['to=2026-11-20', 'to'],
    ['Actor=ann', 'Actor'],
    ['__proto__=1', '__proto__'],
  ])('%s is 422, with the name of the parameter', async (query, path) => {
    const { status, body, headers } = await gateway.admin.request('GET', `${list}?${query}`);
    expect([status, body.code, body.errors]).toEqual([422, 'invalid', [{ path, message: expect.any(String) }]]);
    expect(headers.get('content-type')).toBe('application/problem+json');
  });

  test('one answer lists all errors', async () => {
    const { body } = await gateway.admin.request('GET', `${list}?limit=0&since=x&before=y&z=1`);
    expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['before', 'limit', 'since', 'z']);
  });
});

test('the statistics equal a recount', async () => {
  await rawRequest(gateway.baseUrl, { method: 'GET', path: '/admin/accounts', headers: { 'x-admin-token': 'wrong' } });
  const recount = async (key: string) =>
    Object.fromEntries(
      (await gateway.rows(`select ${key} as key, count(*)::integer as n from audit_logs group by 1`)).map(
        ({ key: name, n }) => [name, n],
      ),
    );
  const [ends] = await gateway.rows(
    'select count(*)::integer as total, min(created_at) as oldest, max(created_at) as newest from audit_logs',
  );
  const wanted = {
    total: ends?.total,
    oldest: ends?.oldest.toISOString(),
    newest: ends?.newest.toISOString(),
    by_action: await recount('action'),
    by_actor: await recount('actor'),
    by_ip: await recount('ip_address'),
    by_day: await recount(`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`),
  };
  expect((await gateway.admin.request('GET', `${list}/stats`)).body).toEqual(wanted);
  expect(wanted.by_actor).toMatchObject({ ann: expect.any(Number), '127.0.0.1': 1 });
  // The call itself is counted by the next one.
  expect((await gateway.admin.request('GET', `${list}/stats`)).body).toMatchObject({
    total: wanted.total + 1,
    by_action: { 'audit.stats': 1 },
  });
});
