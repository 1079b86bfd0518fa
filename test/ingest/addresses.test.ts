import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { rawRequest } from '../support/raw-http.ts';
import { secretText } from '../support/secrets.ts';
import { storedEvent } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

const secret = secretText('fresh-secret-1b7e');

const gateway = useGateway({ worker: false });
beforeAll(async () => {
  await gateway.admin.createAccount({ account_slug: 'slug' });
});

const post = (account: { provider: string; account_slug: string }, headers: Record<string, string> = {}) =>
  gateway.send(account, 'x', headers);
const patch = async (id: string, change: Record<string, unknown>) => {
  const answer = await gateway.admin.request('PATCH', `/admin/accounts/${id}`, change);
  expect(answer.status).toBe(200);
};

describe('addresses of no account', () => {
  test.each([
    ['an unknown slug', '/generic/nobody'],
    ['the slug of another provider', '/support_chat/slug'],
    ['an unknown provider', '/nope/slug'],
    ['other letter case', '/generic/SLUG'],
    ['a provider in other letter case', '/Generic/slug'],
    ['a NUL', '/generic/%00'],
    ['a NUL at the end', '/generic/slug%00'],
    ['a bare percent sign', '/generic/%'],
    ['bytes that are no UTF-8', '/generic/%ff%fe'],
    ['a lone surrogate', '/generic/%ed%a0%80'],
    ['an encoded slash', '/generic/slug%2Fx'],
    ['an encoded parent path', '/generic/%2e%2e%2fslug'],
    ['a space', '/generic/slug%20'],
    ['a quote', "/generic/slug'"],
    ['a slug of 4,000 characters', `/generic/${'a'.repeat(4000)}`],
    ['a name that every object has', '/constructor/slug'],
    ['a name that every object inherits', '/__proto__/toString'],
  ])('%s is account_not_found', async (_name, path) => {
    const answer = await rawRequest(gateway.baseUrl, { path, body: '{}' });
    expect(answer).toMatchObject({ status: 404, body: { code: 'account_not_found', status: 404 } });
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });

  test.each([
    ['/'],
    ['//'],
    ['///'],
    ['/generic'],
    ['/generic/'],
    ['/generic//slug'],
    ['//generic/slug'],
    ['/a/b/c'],
    ['/openapi/nothing'],
    ['/health/nothing'],
  ])('%s is not_found', async (path) => {
    const answer = await rawRequest(gateway.baseUrl, { path, body: '{}' });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('without a token every path below /admin is 401, existing or not', async () => {
    const path = '/admin/nothing';
    expect(await rawRequest(gateway.baseUrl, { path, body: '{}' })).toMatchObject({ status: 401 });
    const headers = { 'x-admin-token': gateway.adminToken };
    const answer = await rawRequest(gateway.baseUrl, { path, headers, body: '{}' });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE'])('%s is 405', async (method) => {
    const answer = await rawRequest(gateway.baseUrl, { method, path: '/generic/slug' });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST');
    if (method !== 'HEAD') expect(answer.body).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  test('POST to a readiness probe is 405, not a webhook', async () => {
    const answer = await rawRequest(gateway.baseUrl, { path: '/health/ready', body: '{}' });
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.allow).toBe('GET');
  });

  test.each(['g', 'gw', 'api', 'x:1', '[::1]', 'a%zz', 'a:99999', '', 'x'.repeat(300)])(
    'the host header %j has no effect',
    async (host) => {
      const headers = { host, 'content-length': '1' };
      expect((await rawRequest(gateway.baseUrl, { path: '/generic/slug?a=/b', headers, body: 'x' })).status).toBe(202);
      const listed = { ...headers, 'content-length': '0', 'x-admin-token': gateway.adminToken };
      const list = await rawRequest(gateway.baseUrl, { method: 'GET', path: '/admin/events?limit=1', headers: listed });
      expect([list.status, list.body?.length]).toEqual([200, 1]);
    },
  );
});

test('the host of a URL in the request line takes the place of the Host header', async () => {
  const path = 'http://other.example:81/generic/slug?a=/b';
  const answer = await rawRequest(gateway.baseUrl, { path, headers: { host: 'gateway' }, body: 'x' });
  const stored = await storedEvent(gateway.database, answer.body.id);
  expect(JSON.stringify(stored?.headers).toLowerCase()).toContain('["host","other.example:81"]');
});

describe('a change applies to the next webhook:', () => {
  const closed = { skip_signature_verification: false, signing_secret_current: secret };
  const slug = () => `moment-${Math.random().toString(36).slice(2)}`;

  test('an account that did not exist before', async () => {
    const address = { provider: 'generic', account_slug: slug() };
    expect((await post(address)).status).toBe(404);
    await gateway.admin.createAccount(address);
    expect((await post(address)).status).toBe(202);
  });

  test('an account that was disabled and enabled', async () => {
    const account = await gateway.admin.createAccount({ enabled: false });
    const refused = await post(account);
    expect(refused).toMatchObject({ status: 403, body: { code: 'account_disabled', status: 403 } });
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    await patch(account.id, { enabled: true });
    expect((await post(account)).status).toBe(202);
    await patch(account.id, { enabled: false });
    expect((await post(account)).status).toBe(403);
    await patch(account.id, { enabled: true });
    expect((await post(account)).status).toBe(202);
  });

  test('a disabled account answers 403 without checking the secret', async () => {
    const account = await gateway.admin.createAccount({ ...closed, enabled: false });
    expect((await post(account, { 'x-secret': 'wrong' })).status).toBe(403);
  });

  test('a secret that is new, rotated or no longer required', async () => {
    const account = await gateway.admin.createAccount(closed);
    expect((await post(account, { 'x-secret': secret })).status).toBe(202);
    expect((await post(account, { 'x-secret': secretText('rotated-one') })).status).toBe(401);
    await patch(account.id, { signing_secret_current: secretText('rotated-one'), signing_secret_previous: secret });
    expect((await post(account, { 'x-secret': secretText('rotated-one') })).status).toBe(202);
    expect((await post(account, { 'x-secret': secret })).status).toBe(202);
    expect((await post(account)).status).toBe(401);
    await patch(account.id, { skip_signature_verification: true });
    expect((await post(account)).status).toBe(202);
  });

  test('a secret that was replaced while the body arrived', async () => {
    const account = await gateway.admin.createAccount(closed);
    const sending = request(`${gateway.baseUrl}/generic/${account.account_slug}`, {
      method: 'POST',
      headers: { 'content-length': 1, 'x-secret': secret, expect: '100-continue' },
    });
    sending.flushHeaders();
    // The gateway has found the account and waits for the body.
    await once(sending, 'continue');
    await patch(account.id, { signing_secret_current: secretText('replacing-one'), signing_secret_previous: null });
    // The cache keeps an account for two seconds.
    await sleep(2_100);
    sending.end('x');
    const [answer]: IncomingMessage[] = await once(sending, 'response');
    answer?.resume();
    expect(answer?.statusCode).toBe(401);
  });

  test('a new address', async () => {
    const account = await gateway.admin.createAccount({});
    expect((await post(account)).status).toBe(202);
    const moved = { provider: 'generic', account_slug: slug() };
    expect((await post(moved)).status).toBe(404);
    await patch(account.id, { account_slug: moved.account_slug });
    const answer = await post(moved);
    expect(answer.status).toBe(202);
    expect(await storedEvent(gateway.database, answer.body.id)).toMatchObject({ account_slug: moved.account_slug });
  });

  test('a deleted account, and a new account at the same address', async () => {
    const account = await gateway.admin.createAccount({});
    expect((await post(account)).status).toBe(202);
    await gateway.admin.request('DELETE', `/admin/accounts/${account.id}`);
    expect((await post(account)).status).toBe(404);

    const again = await gateway.admin.createAccount({ account_slug: account.account_slug });
    const first = await post(again);
    expect(first.status).toBe(202);
    await gateway.admin.request('DELETE', `/admin/accounts/${again.id}`);
    // No request in between, so the cache still holds the deleted account.
    const third = await gateway.admin.createAccount({ account_slug: account.account_slug });
    const answer = await post(third);
    expect(answer.status).toBe(202);
    expect((await storedEvent(gateway.database, answer.body.id))?.account_id).toBe(third.id);
  });

  test('a new account at the same address verifies with its own secret', async () => {
    const account = await gateway.admin.createAccount({});
    expect((await post(account)).status).toBe(202);
    await gateway.admin.request('DELETE', `/admin/accounts/${account.id}`);
    const next = await gateway.admin.createAccount({ ...closed, account_slug: account.account_slug });
    expect((await post(account)).status).toBe(401);
    expect((await post(next, { 'x-secret': secret })).status).toBe(202);
  });
});
