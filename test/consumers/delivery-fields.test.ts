import { beforeEach, describe, expect, test } from 'vitest';
import { secretText } from '../support/secrets.ts';
import { lastYear, newAuthority } from '../support/tls/certificates.ts';
import { useGateway } from '../support/use-gateway.ts';
import { type Consumers, consumersOf, reachedAsUsual } from './support.ts';

// How a consumer is reached: what is shown of it, and what is refused.

const gateway = useGateway({ worker: false });
let consumers: Consumers;
beforeEach(async () => {
  const { id } = await gateway.admin.createAccount({});
  consumers = consumersOf(gateway, id);
});

const authority = await newAuthority();
const { cert: certificate, key } = await authority.issue({ commonName: 'gateway.test' });
const expired = await authority.issue({ commonName: 'gateway.test' }, lastYear);
const login = {
  ...{ type: 'oauth2', token_url: 'https://login.test/token', client_id: 'gateway' },
  client_secret: secretText('client'),
};

const everything = {
  headers: { 'X-Team': 'billing' },
  authentication: { type: 'basic', username: 'gateway', password: secretText('password') },
  ca: authority.cert,
  timeout: '30s',
  schedule: ['10s', '90m', '1h'],
  success: ['2xx', '!202', '300-302'],
  final: ['410'],
};
const shown = { ...everything, authentication: { type: 'basic', username: 'gateway' } };

test('nothing is set by default, what is set is shown without secrets, and null clears it', async () => {
  expect(await consumers.made('billing')).toMatchObject(reachedAsUsual);
  expect((await consumers.patch('billing', everything)).body).toMatchObject(shown);
  expect((await consumers.get('billing')).body).toEqual(expect.objectContaining(shown));
  expect((await consumers.patch('billing', { timeout: '1500ms' })).body).toMatchObject({ ...shown, timeout: '1500ms' });
  const cleared = {
    headers: null,
    authentication: null,
    ca: null,
    timeout: null,
    schedule: null,
    success: null,
    final: null,
  };
  expect((await consumers.patch('billing', cleared)).body).toMatchObject(reachedAsUsual);
  expect(await consumers.made('audit', everything)).toMatchObject(shown);
});

test('`default` takes them, too', async () => {
  expect((await consumers.patch('default', everything)).body).toMatchObject({ name: 'default', ...shown });
  expect((await consumers.list()).body).toMatchObject([shown]);
});

test('of a bearer token nothing is shown, of a header its name', async () => {
  const bearer = { type: 'bearer', token: secretText('bearer') };
  expect((await consumers.made('one', { authentication: bearer })).authentication).toEqual({ type: 'bearer' });
  const header = { type: 'header', name: 'X-Api-Key', value: secretText('header') };
  const { body } = await consumers.patch('one', { authentication: header });
  expect(body.authentication).toEqual({ type: 'header', name: 'X-Api-Key' });
});

test('of a client, all but its secret is shown; of a certificate, all but its key', async () => {
  const { client_secret: _, ...shownLogin } = login;
  expect((await consumers.made('one', { authentication: login })).authentication).toEqual({
    ...{ ...shownLogin, client_auth: 'basic' },
  });
  const { body } = await consumers.patch('one', { authentication: { type: 'mtls', certificate, key } });
  expect(body.authentication).toEqual({
    ...{ type: 'mtls', certificate, subject: 'CN=gateway.test', expires_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  });
});

test('a client certificate needs an https: URL', async () => {
  const mtls = { authentication: { type: 'mtls', certificate, key } };
  const refused = await consumers.post({ name: 'one', url: 'HTTP://one.test/hook', ...mtls });
  expect(refused.body.errors).toEqual([
    { path: 'authentication', message: 'needs an https: URL to present a certificate' },
  ]);
  await consumers.made('one', mtls);
  expect((await consumers.patch('one', { url: 'http://one.test/hook' })).body.errors).toEqual([
    { path: 'url', message: 'must begin with https: while the consumer has a client certificate' },
  ]);
  expect((await consumers.patch('one', { url: 'http://one.test/hook', authentication: null })).status).toBe(200);
});

test('the address of `default` stays https: while it has a client certificate', async () => {
  const { id } = await gateway.admin.createAccount({ delivery_url: 'https://a.test/hook' });
  const patch = (body: object) => gateway.admin.request('PATCH', `/admin/accounts/${id}`, body);
  const ofAccount = consumersOf(gateway, id);
  expect((await ofAccount.patch('default', { authentication: { type: 'mtls', certificate, key } })).status).toBe(200);
  expect(await patch({ delivery_url: 'http://a.test/hook' })).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'delivery_url', message: expect.stringContaining('must begin with https:') }] },
  });
  expect((await patch({ delivery_url: null, project_delivery_url: 'http://a.test' })).body.errors).toMatchObject([
    { path: 'project_delivery_url' },
  ]);
  expect((await patch({ delivery_url: 'https://b.test/hook', app_key: 'other' })).status).toBe(200);
  // Applies only without a `delivery_url`.
  expect((await patch({ project_delivery_url: 'http://a.test' })).status).toBe(200);
  expect(await patch({ delivery_url: null })).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'delivery_url', message: expect.stringMatching(/^must stay .*project_delivery_url/) }] },
  });
  expect((await patch({ delivery_url: null, project_delivery_url: null })).status).toBe(200);
});

describe('what is refused', () => {
  const reserved = 'is set by the gateway, or belongs to one connection';
  const notAStatus = 'must be a status such as 410, 2xx or 200-204, or an exception such as !202';
  test.each([
    [{ headers: { 'webhook-signature': 'v1,x' } }, 'headers.webhook-signature', reserved],
    [{ headers: { X_Webhook_Attempt: '1' } }, 'headers.X_Webhook_Attempt', reserved],
    [{ headers: { 'Transfer-Encoding': 'chunked' } }, 'headers.Transfer-Encoding', reserved],
    [{ headers: { Host: 'a.test' } }, 'headers.Host', reserved],
    [{ headers: { Authorization: 'x' } }, 'headers.Authorization', 'is set with authentication'],
    [{ headers: { 'x-a': '1', 'X-A': '2' } }, 'headers.X-A', 'is the same as x-a'],
    [{ headers: { 'x-a': 'one\r\nx-b: two' } }, 'headers.x-a', expect.stringContaining('line ends')],
    [{ headers: { 'x-a': 'ü' } }, 'headers.x-a', expect.stringContaining('printable ASCII')],
    [{ headers: { 'x-a': 5 } }, 'headers.x-a', 'must be a string'],
    [{ headers: { 'x a': '1' } }, 'headers.x a', expect.stringContaining('must be a name of a header')],
    [
      { headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, '1'])) },
      'headers',
      'must have at most 20 headers',
    ],
    [{ headers: [['x-a', '1']] }, 'headers', expect.any(String)],
    [{ timeout: '0s' }, 'timeout', 'must be between 1s and 60s'],
    [{ timeout: '61s' }, 'timeout', 'must be between 1s and 60s'],
    [{ timeout: 15 }, 'timeout', 'must be a string'],
    [{ schedule: ['10'] }, 'schedule.0', expect.stringContaining('is not a duration')],
    [{ schedule: ['1s', '0s'] }, 'schedule.1', 'must be between 1ms and 168h'],
    [{ schedule: ['100h', '100h'] }, 'schedule', 'must be at most 7 days in all'],
    [{ schedule: Array.from({ length: 21 }, () => '1s') }, 'schedule', expect.any(String)],
    [{ schedule: '10s,1m' }, 'schedule', expect.any(String)],
    [{ success: [] }, 'success', expect.any(String)],
    [{ success: ['!202'] }, 'success', 'must name a status that is no exception'],
    [{ success: ['2XX'] }, 'success.0', notAStatus],
    [{ success: ['2xx', '1xx'] }, 'success.1', notAStatus],
    [{ final: ['204-200'] }, 'final.0', notAStatus],
    [{ final: ['600'] }, 'final.0', notAStatus],
    [{ final: [410] }, 'final.0', 'must be a string'],
    [{ final: Array.from({ length: 11 }, () => '410') }, 'final', expect.any(String)],
    [
      { authentication: { type: 'basic', username: 'a:b', password: 'x' } },
      'authentication.username',
      'must not contain a colon',
    ],
    [
      { authentication: { type: 'bearer', token: 'two words' } },
      'authentication.token',
      'must be visible ASCII characters',
    ],
    [{ authentication: { type: 'bearer' } }, 'authentication.token', expect.any(String)],
    [{ authentication: { type: 'header', name: 'webhook-id', value: 'x' } }, 'authentication.name', reserved],
    [{ authentication: { ...login, token_url: 'ftp://a.test' } }, 'authentication.token_url', expect.any(String)],
    [
      { authentication: { ...login, token_url: 'https://user:pass@a.test/token' } },
      'authentication.token_url',
      'must hold no user, password or fragment',
    ],
    [{ authentication: { ...login, client_id: '' } }, 'authentication.client_id', expect.any(String)],
    [
      { authentication: { ...login, client_secret: 'ü' } },
      'authentication.client_secret',
      'must be printable ASCII characters',
    ],
    [{ authentication: { ...login, client_auth: 'jwt' } }, 'authentication.client_auth', expect.any(String)],
    [{ authentication: { ...login, grant_type: 'x' } }, 'authentication.grant_type', 'is not a known field'],
    [
      { authentication: { type: 'mtls', certificate: 'x', key } },
      'authentication.certificate',
      'holds no certificate in PEM (-----BEGIN CERTIFICATE-----)',
    ],
    [
      { authentication: { type: 'mtls', certificate, key: 'x' } },
      'authentication.key',
      'holds no private key in PEM (-----BEGIN PRIVATE KEY-----)',
    ],
    [
      { authentication: { type: 'mtls', certificate, key: expired.key } },
      'authentication.key',
      'does not belong to the certificate',
    ],
    [
      { authentication: { type: 'mtls', certificate: expired.cert, key: expired.key } },
      'authentication.certificate',
      expect.stringMatching(/^has expired on \d{4}-/),
    ],
    [
      { authentication: { type: 'mtls', certificate: `${certificate}\n${key}`, key } },
      'authentication.certificate',
      'must hold certificates only: a private key has a field of its own',
    ],
    [{ ca: `${authority.cert}\n${key}` }, 'ca', 'must hold certificates only: a private key has a field of its own'],
    [{ ca: 'x' }, 'ca', 'holds no certificate in PEM (-----BEGIN CERTIFICATE-----)'],
    [{ ca: `${authority.cert}`.replace(/M/, '!') }, 'ca', expect.stringContaining('damaged certificate')],
    [{ ca: authority.cert.repeat(100) }, 'ca', expect.any(String)],
    [{ authentication: { type: 'digest' } }, 'authentication.type', expect.any(String)],
    [{ authentication: 'Bearer x' }, 'authentication', expect.any(String)],
  ])('%j', async (body, path, message) => {
    await consumers.made('present');
    for (const answer of [
      await consumers.post({ name: 'refused', url: 'https://a.test/hook', ...body }),
      await consumers.patch('present', body),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid' } });
      expect(answer.body.errors).toContainEqual({ path, message });
    }
    expect((await consumers.get('present')).body).toMatchObject(reachedAsUsual);
  });
});
