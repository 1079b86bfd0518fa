import { expect, test } from 'vitest';
import { waiting } from '../events/feed/readers-of.ts';
import { adminClient } from '../support/admin-client.ts';
import { startGateway } from '../support/gateway.ts';
import { rawRequest } from '../support/raw-http.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useClient, useGateway } from '../support/use-gateway.ts';
import { ownersOf } from './owners.ts';

const operateToken = secretText('token-of-operator');
const gateway = useGateway({
  worker: false,
  adminTokens: [{ name: 'operator', role: 'operate', token: operateToken }],
});
const client = useClient(gateway);
const { owner } = ownersOf(gateway, () => 'http://127.0.0.1:9/');

const create = (fields: Record<string, unknown>) => gateway.admin.post('/admin/tokens', fields);
const list = async () => (await gateway.admin.request('GET', '/admin/tokens')).body;
const statusOf = async (token: string, baseUrl = gateway.baseUrl, more: Record<string, string> = {}) =>
  (await rawRequest(baseUrl, { method: 'GET', path: '/admin/me', headers: { 'x-admin-token': token, ...more } }))
    .status;

test('a token is shown once, works at once, and only its hash is stored', async () => {
  const { status, body } = await create({ name: 'ci', role: 'read' });
  expect(status).toBe(201);
  expect(body.token).toMatch(/^wg_[\w-]{43}$/);
  expect(await adminClient(gateway.baseUrl, body.token).request('GET', '/admin/me')).toMatchObject({
    body: { name: 'ci', role: 'read', scope: null },
  });
  const { token, ...shown } = body;
  const used = await until('its use is recorded', async () => {
    const found = (await list()).find(({ id }: { id: string }) => id === body.id);
    return found.last_used_at !== null && found;
  });
  expect(used).toEqual({ ...shown, last_used_at: expect.any(String) });
  const stored = await gateway.rows(
    'select t::text as row from admin_tokens t union all select details::text from audit_logs',
  );
  expect(JSON.stringify(stored)).not.toContain(token.slice(3));
});

test.each([
  ['an admin with a scope', { role: 'admin', app_key: 'shop' }, 'role'],
  ['two scopes', { role: 'read', app_key: 'shop', account_id: '01900000-0000-7000-8000-000000000000' }, 'account_id'],
  ['an unknown account', { role: 'read', account_id: '01900000-0000-7000-8000-000000000000' }, 'account_id'],
  ['an end in the past', { role: 'read', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  ['no role', {}, 'role'],
])('%s is refused', async (name, fields, path) => {
  const { status, body } = await create({ name: 'refused', ...fields });
  expect([name, status, body.errors?.[0]?.path]).toEqual([name, 422, path]);
});

test('a name is taken while a token of it is in force, also one of the configuration', async () => {
  const first = await create({ name: 'unique', role: 'read' });
  for (const name of ['unique', 'operator', 'tester'])
    expect(await create({ name, role: 'read' })).toMatchObject({ status: 409, body: { errors: [{ path: 'name' }] } });
  expect((await gateway.admin.request('DELETE', `/admin/tokens/${first.body.id}`)).status).toBe(204);
  expect((await gateway.admin.request('DELETE', `/admin/tokens/${first.body.id}`)).status).toBe(404);
  expect((await create({ name: 'unique', role: 'read' })).status).toBe(201);
});

test('only the role admin manages tokens', async () => {
  const operator = adminClient(gateway.baseUrl, operateToken);
  expect((await operator.request('GET', '/admin/tokens')).status).toBe(403);
  expect((await operator.post('/admin/tokens', { name: 'more', role: 'admin' })).status).toBe(403);
});

test('another process accepts a new token and refuses a revoked one soon', async () => {
  const { databaseUrl, keyring } = gateway;
  const other = await startGateway({ databaseUrl, keyring, worker: false, trustedProxies: ['127.0.0.1'] });
  let tries = 0;
  // Each from an address of its own: after ten wrong tokens, an address is refused for a minute.
  const statusOfOther = (token: string) =>
    statusOf(token, other.baseUrl, { 'x-forwarded-for': `192.0.2.${++tries % 256}` });
  try {
    const { body } = await create({ name: 'everywhere', role: 'read' });
    await until('the other process accepts it', async () => (await statusOfOther(body.token)) === 200);
    await gateway.admin.request('DELETE', `/admin/tokens/${body.id}`);
    expect(await statusOf(body.token)).toBe(401);
    expect(await gateway.rows(`select from audit_logs where action = 'auth.denied'`)).not.toEqual([]);
    await until('the other process refuses it', async () => (await statusOfOther(body.token)) === 401);
  } finally {
    await other.stop();
  }
});

test('an expired token is refused without a read, and frees its name', async () => {
  const { body } = await create({
    name: 'short',
    role: 'read',
    expires_at: new Date(Date.now() + 30_000).toISOString(),
  });
  await client.query('begin');
  try {
    // Until the end of the transaction, no process can read which tokens are in force.
    await client.query('lock table admin_tokens in access exclusive mode');
    expect(await statusOf(body.token)).toBe(200);
    await until('it is refused', async () => (await statusOf(body.token)) === 401);
  } finally {
    await client.query('rollback');
  }
  expect((await create({ name: 'short', role: 'read' })).status).toBe(201);
});

test('tokens are checked without the table', async () => {
  const { body } = await create({ name: 'in-memory', role: 'read' });
  await client.query('begin');
  try {
    await client.query('lock table admin_tokens in access exclusive mode');
    expect(await statusOf(body.token)).toBe(200);
    expect(await statusOf(`wg_${'x'.repeat(43)}`)).toBe(401);
  } finally {
    await client.query('rollback');
  }
});

test('the audit log has the name and the scope of the token, and why a call was refused', async () => {
  const account = await gateway.admin.createAccount({ app_key: 'audited' });
  const { body } = await create({ name: 'audited', role: 'operate', app_key: 'audited' });
  const scoped = adminClient(gateway.baseUrl, body.token);
  expect((await scoped.post(`/admin/accounts/${account.id}/pause`)).status).toBe(200);
  const refused = await scoped.request('GET', '/admin/settings');
  expect(refused).toMatchObject({ status: 403, body: { code: 'out_of_scope' } });
  expect(refused.body.detail).toContain("the accounts with the app_key 'audited'");
  const entries = await gateway.rows(`select action, details from audit_logs where actor = 'audited' order by id`);
  expect(entries).toMatchObject([
    { action: 'account.pause', details: { account_id: account.id, token_scope: { app_key: 'audited' } } },
    { action: 'auth.denied', details: { action: 'settings.read', token_scope: { app_key: 'audited' } } },
  ]);
});

test('an account that leaves the app_key leaves the scope', async () => {
  const account = await gateway.admin.createAccount({ app_key: 'before' });
  const { body } = await create({ name: 'follows', role: 'read', app_key: 'before' });
  const scoped = adminClient(gateway.baseUrl, body.token);
  expect((await scoped.request('GET', `/admin/accounts/${account.id}`)).status).toBe(200);
  await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { app_key: 'after' });
  expect((await scoped.request('GET', `/admin/accounts/${account.id}`)).status).toBe(404);
});

test('a call of the feed that waits ends with the token, and shows nothing that came later', async () => {
  const account = await gateway.admin.createAccount({});
  const { body } = await create({ name: 'waits', role: 'read', account_id: account.id });
  const reader = adminClient(gateway.baseUrl, body.token);
  const { cursor } = (await reader.request('GET', '/admin/feed')).body;
  const began = new Date();
  const call = reader.request('GET', `/admin/feed?cursor=${cursor}&wait=30s`);
  await waiting(gateway, began);
  await gateway.admin.request('DELETE', `/admin/tokens/${body.id}`);
  await gateway.send(account, '{"id":"later"}');
  expect(await call).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  const [first] = await gateway.rows(`select details from audit_logs where actor = 'waits' order by id limit 1`);
  expect(first?.details).toMatchObject({ token_scope: { account_id: account.id } });
});

test('a bulk job of a token without accounts is not shown to other tokens with a scope', async () => {
  const order = { action: 'ack', filter: { provider: 'generic' } };
  const [empty, other] = await Promise.all(
    ['no-account', 'no-other'].map(async (name) => {
      const { body } = await create({ name, role: 'operate', app_key: name });
      return adminClient(gateway.baseUrl, body.token);
    }),
  );
  const made = await empty?.post('/admin/events/bulk', order);
  expect(made).toMatchObject({ status: 202, body: { total: 0 } });
  expect((await other?.request('GET', '/admin/events/bulk'))?.body).toEqual([]);
  expect((await other?.request('GET', `/admin/events/bulk/${made?.body.id}`))?.status).toBe(404);
});

test('counts, answers, exports and rejected webhooks have only what is within the scope, with any filter', async () => {
  const [other, own] = [await owner(), await owner()];
  const { token } = (await create({ name: 'counts', role: 'operate', account_id: own.ids.account_id })).body;
  const scoped = adminClient(gateway.baseUrl, token);
  for (const { ids } of [other, own]) {
    await gateway.rows('update events set bulk_job_id = $2 where id = $1', [ids.event_id, ids.job_id]);
    await gateway.rows(
      `insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body)
       values ($1, 0, 'schedule', 1, now(), 5, 'http_error', 500, $2)`,
      [ids.event_id, ids.event_id],
    );
  }
  const get = async (path: string) => (await scoped.request('GET', `/admin/events${path}`)).body;
  const exported = async (query: string) => {
    const headers = { 'x-admin-token': token };
    return (await rawRequest(gateway.baseUrl, { method: 'GET', path: `/admin/events/export?${query}`, headers })).text;
  };
  const { account_id, event_id, job_id } = own.ids;
  expect(await get('/count')).toMatchObject({ count: 2 });
  const all = [own.ids.event_id, other.ids.event_id];
  expect(await get(`/answers?ids=${all}`)).toMatchObject([{ id: event_id, line: event_id }]);
  expect(
    (await exported(''))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).account_id),
  ).toEqual([account_id, account_id]);
  expect(await get(`?job=${job_id}`)).toMatchObject([{ id: event_id }]);
  await gateway.rows(
    `update events set status = 'rejected', delivery_status = null, rejection_reason = 'x' where id = any($1)`,
    [all],
  );
  expect((await get('/rejected')).groups).toMatchObject([{ account_id, count: 1, last_event_id: event_id }]);
  const { account_id: theirs, incident_id, job_id: job } = other.ids;
  for (const query of [
    `incident=${incident_id}`,
    `job=${job}`,
    `account_slug=${other.slug}`,
    `app_key=${other.appKey}`,
  ]) {
    const filter = Object.fromEntries(new URLSearchParams(query));
    const dry = await scoped.post('/admin/events/bulk', { action: 'ack', filter, dry_run: true });
    const found = [
      await get(`?${query}`),
      (await get(`/count?${query}`)).count,
      await exported(query),
      dry.body.matched,
    ];
    expect([query, ...found]).toEqual([query, [], 0, '', 0]);
    if (!query.startsWith('job')) expect(JSON.stringify(await get(`/rejected?${query}`))).not.toContain(theirs);
  }
});

test('while the accounts of an app_key cannot be read, a call with a body is refused for now', async () => {
  const { body } = await create({ name: 'waits', role: 'operate', app_key: 'shop' });
  await client.query('begin');
  await client.query('lock table accounts in access exclusive mode');
  try {
    const answer = await adminClient(gateway.baseUrl, body.token).post('/admin/events/bulk', {
      action: 'ack',
      ids: [],
    });
    expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
  } finally {
    await client.query('rollback');
  }
});
