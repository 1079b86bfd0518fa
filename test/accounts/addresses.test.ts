import { expect, test } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { useGateway } from '../support/use-gateway.ts';

// No network is allowed besides the public ones. `localhost` is a name for a loopback address on every machine.
const gateway = useGateway({ worker: false, allowedNetworks: ['192.0.2.0/24'] });

const account = (fields: object) =>
  gateway.admin.request('POST', '/admin/accounts', {
    ...{ provider: 'generic', account_slug: `a-${Math.random().toString(36).slice(2)}`, app_key: 'app' },
    ...fields,
  });
const notListed = 'DELIVERY_ALLOWED_NETWORKS does not list it';

test.each([
  ['http://10.0.0.1/', '10.0.0.1 is a private address'],
  ['http://127.0.0.1:8080/hook', '127.0.0.1 is a loopback address'],
  ['http://2130706433/', '127.0.0.1 is a loopback address'],
  ['http://user:password@169.254.169.254/latest', '169.254.169.254 is a cloud metadata address'],
  ['https://[::1]:8443/', '::1 is a loopback address'],
  ['https://[fd12::1]/', 'fd12::1 is a private address'],
])('an account with %s is refused when it is saved', async (delivery_url, reason) => {
  const created = await account({ delivery_url, project_delivery_url: delivery_url });
  expect([created.status, created.body.errors]).toEqual([
    422,
    ['delivery_url', 'project_delivery_url'].map((path) => ({ path, message: `${reason}; ${notListed}` })),
  ]);
  expect(JSON.stringify(created.body)).not.toContain('password');
  const { body: stored } = await account({ delivery_url: 'https://93.184.215.14/hook' });
  const changed = await gateway.admin.request('PATCH', `/admin/accounts/${stored.id}`, { delivery_url });
  expect([changed.status, changed.body.code]).toEqual([422, 'invalid']);
  const consumer = await consumersOf(gateway, stored.id).post({ name: 'billing', url: delivery_url });
  expect([consumer.status, consumer.body.errors]).toEqual([422, [{ path: 'url', message: `${reason}; ${notListed}` }]]);
  const destination = await gateway.admin.post(`/admin/accounts/${stored.id}/destinations`, {
    ...{ destination_type: 'webhook', name: 'on-call', config: { url: delivery_url } },
  });
  // Credentials in a URL of a destination are allowed, too.
  expect([destination.status, destination.body.errors]).toEqual([
    422,
    [{ path: 'config.url', message: `${reason}; ${notListed}` }],
  ]);
});

test('public addresses and those of an allowed network are accepted without a warning', async () => {
  for (const delivery_url of ['https://93.184.215.14/hook', 'http://192.0.2.7/', null]) {
    const { status, body } = await account({ delivery_url });
    expect([delivery_url, status, body.warnings]).toEqual([delivery_url, 201, []]);
  }
});

test('the providers have no URL for a trial: deliveries to the gateway itself are refused', async () => {
  const { body } = await gateway.admin.request('GET', '/admin/providers');
  expect(new Set(body.map(({ trial_url }: { trial_url: unknown }) => trial_url))).toEqual(new Set([null]));
});

test('a name that leads to refused addresses only is a warning of account, consumer and destination, as long as it does', async () => {
  const { status, body } = await account({ delivery_url: 'http://localhost:9/hook' });
  const message = expect.stringMatching(
    /^localhost resolves to (127\.0\.0\.1|::1), a loopback address; DELIVERY_ALLOWED_NETWORKS does not list it$/,
  );
  expect([status, body.warnings]).toEqual([201, [{ path: 'delivery_url', message }]]);
  const consumers = consumersOf(gateway, body.id);
  const made = await consumers.made('local', { url: 'https://localhost/in' });
  expect(made.warnings).toEqual([{ path: 'url', message }]);
  const { body: listed } = await consumers.list();
  expect(listed.map((one: { warnings: unknown }) => one.warnings)).toEqual(Array(2).fill([{ path: 'url', message }]));
  const destinations = `/admin/accounts/${body.id}/destinations`;
  const config = { url: 'http://localhost/on-call' };
  const told = await gateway.admin.post(destinations, { destination_type: 'webhook', name: 'on-call', config });
  expect([told.status, told.body.warnings]).toEqual([201, [{ path: 'config.url', message }]]);
  expect((await gateway.admin.request('GET', destinations)).body).toEqual([told.body]);
  const moved = await gateway.admin.request('PATCH', `${destinations}/${told.body.id}`, {
    config: { url: 'https://93.184.215.14/on-call' },
  });
  expect([moved.status, moved.body.warnings]).toEqual([200, []]);
  const changed = await gateway.admin.request('PATCH', `/admin/accounts/${body.id}`, {
    delivery_url: 'https://93.184.215.14/',
  });
  expect([changed.status, changed.body.warnings]).toEqual([200, []]);
});

test('an address that was stored before it was refused is a warning, and other fields can be changed', async () => {
  const { body } = await account({});
  await gateway.rows(`update accounts set delivery_url = 'http://10.0.0.1/' where id = $1`, [body.id]);
  const { status, body: changed } = await gateway.admin.request('PATCH', `/admin/accounts/${body.id}`, {
    app_key: 'b',
  });
  expect([status, changed.warnings]).toEqual([
    200,
    [{ path: 'delivery_url', message: `10.0.0.1 is a private address; ${notListed}` }],
  ]);
});

test('all mistakes of a new account are answered at once, those of its provider, too', async () => {
  const { status, body } = await account({
    ...{ provider: 'hmac', account_slug: 'no slug', app_key: '', delivery_url: 'http://10.0.0.1/' },
    ...{ signing_secret_current: ' padded', provider_config: { signed: 7 } },
  });
  expect([status, body.errors.map(({ path }: { path: string }) => path).sort()]).toEqual([
    422,
    expect.arrayContaining([
      ...['account_slug', 'app_key', 'delivery_url', 'provider_config.header', 'signing_secret_current'],
    ]),
  ]);
  expect(new Set(body.errors.map(({ path }: { path: string }) => path)).size).toBeGreaterThanOrEqual(5);
});
