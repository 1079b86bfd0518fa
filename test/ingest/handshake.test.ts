import { describe, expect, test } from 'vitest';
import { rawRequest } from '../support/raw-http.ts';
import { secretText } from '../support/secrets.ts';
import { eventsOf } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

const asked = (path: string, method = 'GET') => rawRequest(gateway.baseUrl, { method, path });
const query = (token: string, challenge = '1158201444') =>
  `?hub.mode=subscribe&hub.challenge=${challenge}&hub.verify_token=${token}`;
const accountOf = (provider: string, provider_config = {}) =>
  gateway.admin.createAccount({ provider, provider_config });

describe('meta', () => {
  test('a subscription check with the verify token gets the challenge back, and stores no event', async () => {
    const account = await accountOf('meta', { verify_token: secretText('right-token') });
    const answer = await asked(`/meta/${account.account_slug}${query(secretText('right-token'))}`);
    expect(answer).toMatchObject({ status: 200, text: '1158201444' });
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(await eventsOf(gateway.database, account.id)).toEqual([]);
  });

  test.each([
    ['a wrong token', query('wrong-token')],
    ['no token', '?hub.mode=subscribe&hub.challenge=1158201444'],
    ['another mode', query(secretText('right-token')).replace('subscribe', 'unsubscribe')],
    ['no query at all', ''],
  ])('a subscription check with %s is refused, and echoes nothing', async (_, given) => {
    const account = await accountOf('meta', { verify_token: secretText('right-token') });
    const answer = await asked(`/meta/${account.account_slug}${given}`);
    expect(answer).toMatchObject({ status: 401, body: { code: 'verification_failed' } });
    expect(answer.text).not.toMatch(/1158201444|right-token/);
  });

  test('markup in the challenge is not served as HTML', async () => {
    const account = await accountOf('meta', { verify_token: secretText('right-token') });
    const answer = await asked(`/meta/${account.account_slug}${query(secretText('right-token'), '%3Cscript%3E')}`);
    expect(answer).toMatchObject({ status: 200, text: '<script>' });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  test('a new verify token applies at once', async () => {
    const account = await accountOf('meta');
    const path = `/meta/${account.account_slug}${query(secretText('new-token'))}`;
    expect((await asked(path)).status).toBe(401);
    const change = { provider_config: { verify_token: secretText('new-token') } };
    expect((await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, change)).status).toBe(200);
    expect((await asked(path)).status).toBe(200);
  });

  test('a missing account is 404, a disabled one 403', async () => {
    expect(await asked(`/meta/nobody${query('x')}`)).toMatchObject({
      status: 404,
      body: { code: 'account_not_found' },
    });
    const account = await gateway.admin.createAccount({ provider: 'meta', enabled: false });
    expect(await asked(`/meta/${account.account_slug}${query('x')}`)).toMatchObject({
      status: 403,
      body: { code: 'account_disabled' },
    });
  });
});

test('the HEAD request with which Intercom validates the address is answered', async () => {
  const account = await accountOf('intercom');
  expect((await asked(`/intercom/${account.account_slug}`, 'HEAD')).status).toBe(200);
  expect((await asked('/intercom/nobody', 'HEAD')).status).toBe(404);
});

test('providers without a handshake accept only POST', async () => {
  const account = await accountOf('stripe');
  for (const [path, allow] of [
    [`/stripe/${account.account_slug}`, 'POST'],
    ['/unknown/slug', 'POST'],
    ['/meta/slug', 'GET, HEAD, POST'],
  ] as const) {
    const answer = await asked(path, 'PUT');
    expect([path, answer.status, answer.headers.allow]).toEqual([path, 405, allow]);
  }
  expect(await asked(`/stripe/${account.account_slug}`)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
});
