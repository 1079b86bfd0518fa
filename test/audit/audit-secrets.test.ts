import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { auditTrail } from '../support/audit-trail.ts';
import { rawRequest } from '../support/raw-http.ts';
import { secretText } from '../support/secrets.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';

const otherToken = secretText('canary-token-of-ann');

const consumer = useConsumer();
const gateway = useGateway({ worker: false, adminTokens: [{ name: 'ann', token: otherToken }] });

const secretFields = [
  'signing_secret_current',
  'signing_secret_previous',
  'delivery_secret',
  'project_delivery_secret',
] as const;
let planted = 0;
const canary = () => `canary-${++planted}-secret`;
const secrets = () => Object.fromEntries(secretFields.map((field) => [field, canary()]));

test('account.update lists the changed fields, without values', async () => {
  const account = await gateway.admin.createAccount(secrets());
  const entries = auditTrail(gateway.database);
  await entries();
  const path = `/admin/accounts/${account.id}`;
  const change = { ...secrets(), enabled: false, org_id: null, delivery_url: 'https://user:canary-0@consumer.test/' };
  expect((await gateway.admin.request('PATCH', path, change)).status).toBe(200);
  const [entry] = await entries();
  expect(entry).toMatchObject({ action: 'account.update', actor: 'tester' });
  expect(Object.keys(entry?.details).sort()).toEqual(['account_id', 'changed', 'status']);
  expect(entry?.details.changed.sort()).toEqual(Object.keys(change).sort());
  await gateway.admin.request('PATCH', path, {});
  expect((await entries())[0]?.details).toEqual({ account_id: account.id, status: 200, changed: [] });
});

test('destination.update lists the changed fields, without values', async () => {
  const account = await gateway.admin.createAccount({});
  const path = `/admin/accounts/${account.id}/destinations`;
  const config = { url: 'https://people.test/canary-0-path', secret: canary() };
  const { body } = await gateway.admin.post(path, { destination_type: 'webhook', name: 'n', config });
  const entries = auditTrail(gateway.database);
  await entries();
  const change = { name: 'm', config: { secret: canary() } };
  expect((await gateway.admin.request('PATCH', `${path}/${body.id}`, change)).status).toBe(200);
  const [entry] = await entries();
  const { changed, ...others } = entry?.details ?? {};
  expect(others).toEqual({ account_id: account.id, destination_id: body.id, status: 200 });
  expect(changed).toHaveLength(2);
  expect(changed[0]).toBe('name');
  expect(changed[1]).toMatch(/^config/);
});

test('the audit log contains no secret, token or payload, after accepted and refused requests', async () => {
  const { baseUrl, adminToken } = gateway;
  const given = secrets();
  const account = await gateway.admin.createAccount({ ...given, delivery_url: `${consumer.url}?key=${canary()}` });
  const path = `/admin/accounts/${account.id}`;
  const request = (method: string, to: string, body: string, headers: Record<string, string> = {}) =>
    rawRequest(baseUrl, {
      ...{ method, path: to, body },
      headers: { 'x-admin-token': adminToken, 'content-type': 'application/json', ...headers },
    });
  // Bodies that are refused before, while and after they are read.
  for (const [method, to] of [
    ['POST', '/admin/accounts'],
    ['PATCH', path],
    ['POST', `${path}/destinations`],
    ['PATCH', `${path}/destinations/${account.id}`],
    ['POST', `${path}/consumers`],
    ['PATCH', `${path}/consumers/default`],
  ] as const) {
    await request(method, to, `{"signing_secret_current":"${canary()}"`);
    await request(method, to, `{"signing_secret_current":["${canary()}"]}`);
    await request(method, to, `{"${canary()}":"${canary()}"}`);
    await request(method, to, `{"delivery_url":"no url ${canary()}","config":{"secret":"${canary()}"}}`);
    await request(method, to, `"${canary()}"`, { 'content-type': `text/plain; ${canary()}` });
    await request(method, to, `{"delivery_secret":"${canary()}${'x'.repeat(300_000)}"}`);
    await request(method, to, `{"delivery_secret":"${canary()}\\u0000"}`);
    await request(method, `${to}?key=${canary()}`, `{}`);
  }
  await request('POST', `${path}/test-delivery`, `{"secret":"${canary()}"}`);
  consumer.replies = [(response) => response.writeHead(500, { canary: canary() }).end(canary())];
  expect((await request('POST', `${path}/test-delivery`, '')).status).toBe(502);
  consumer.replies = [200];
  // Wrong tokens, right tokens in wrong places, and cookies.
  await request('GET', '/admin/accounts', '', { 'x-admin-token': canary() });
  await request('GET', `/admin/accounts?token=${adminToken}`, '', { 'x-admin-token': '' });
  await request('GET', '/admin/accounts', '', { authorization: `Bearer ${adminToken}`, cookie: canary() });
  await request('GET', `/admin/${canary()}`, '');
  await request('GET', `/admin/accounts?app_key=a&${canary()}=1`, '', { 'x-admin-token': otherToken });
  // Accepted and rejected webhooks, and operations on them.
  const payload = JSON.stringify({ id: '1', type: 'order.paid', payload: canary() });
  const headers = { 'content-type': 'application/json', 'x-webhook-secret': given.signing_secret_current ?? '' };
  const { body: event } = await send(baseUrl, account, payload, headers);
  await send(baseUrl, { provider: 'generic', account_slug: `none-${canary()}` }, payload);
  for (const operation of ['ack', 'fail', 'replay'])
    await request('POST', `/admin/events/${event.id}/${operation}`, '');
  await request('POST', `/admin/delivery/retry/${event.id}`, '');
  await request('GET', `/admin/events/${event.id}`, '');
  await request('DELETE', path, '');

  const [log] = await gateway.rows('select string_agg(t::text, chr(10)) as text, count(*)::int as n from audit_logs t');
  expect(log?.n).toBeGreaterThan(40);
  expect(log?.text).not.toContain('canary');
  expect(log?.text).not.toContain(adminToken);
  // Shows that the search works: the text contains the actors.
  for (const name of ['tester', 'ann']) expect(log?.text).toContain(`,${name},`);
});
