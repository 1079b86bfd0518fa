import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createProxy } from 'proxy';
import { expect, test } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { instantDelaysMs } from '../support/gateway.ts';
import { listenForTest } from '../support/listen-for-test.ts';
import { secretText } from '../support/secrets.ts';
import { oidcServer } from '../support/services/oidc.ts';
import { openStage } from '../support/situations.ts';
import { storeDeliveryUrl } from '../support/store-address.ts';
import { newAuthority } from '../support/tls/certificates.ts';
import { forTest } from '../support/use.ts';

// DELIVERY_PROXY (docs/delivery.md#through-a-proxy), with a real proxy.

/** A proxy that wants a user and password, and records what it was asked for. */
async function proxyForTest() {
  const asked: string[] = [];
  const server = createProxy(createHttpServer());
  const user = Buffer.from(`gateway:${secretText('proxy')}`).toString('base64');
  server.authenticate = (request) => {
    asked.push(`${request.method} ${request.url}`);
    return request.headers['proxy-authorization'] === `Basic ${user}`;
  };
  const port = await listenForTest(server);
  return { asked, port, url: `http://gateway:${secretText('proxy')}@127.0.0.1:${port}` };
}

const open = (url: string, except: string[] = [], allowedNetworks?: string[]) =>
  forTest(
    openStage({ delaysMs: instantDelaysMs, proxy: { url, except }, ...(allowedNetworks && { allowedNetworks }) }),
  );
type Stage = Awaited<ReturnType<typeof open>>;

async function settled({ gateway }: Stage, account: { provider: string; account_slug: string }, id = 1) {
  const { body } = await gateway.send(account, JSON.stringify({ id }));
  return gateway.admin.eventually(body.id, (e) => e.delivery_status !== 'pending');
}

test('deliveries, token requests and notifications go through the proxy, to the address that was checked', async () => {
  const proxy = await proxyForTest();
  const stage = await open(proxy.url);
  const secret = secretText('client-secret');
  const login = await oidcServer([{ id: 'gateway', secret, auth: 'client_secret_basic' }]);
  const [receiver, told] = [await stage.consumer(200, 500), await stage.consumer()];
  const account = await stage.gateway.admin.createAccount({});
  const authentication = { type: 'oauth2', token_url: login.tokenUrl, client_id: 'gateway', client_secret: secret };
  await consumersOf(stage.gateway, account.id).made('billing', {
    // A name: the proxy is asked for the address.
    ...{ url: receiver.url.replace('127.0.0.1', 'localhost'), authentication },
  });
  const destination = { name: 'told', destination_type: 'webhook', config: { url: told.url } };
  await stage.gateway.admin.post(`/admin/accounts/${account.id}/destinations`, destination);
  expect((await settled(stage, account)).delivery_status).toBe('delivered');
  expect((await settled(stage, account, 2)).delivery_status).toBe('failed');
  await expect.poll(() => told.deliveries.length).toBe(1);
  const { host } = new URL(login.tokenUrl);
  const asked = new Set(proxy.asked);
  expect(asked).toContain(`CONNECT ${host}`);
  expect(asked).toContain(`CONNECT 127.0.0.1:${receiver.port}`);
  expect(asked).toContain(`CONNECT 127.0.0.1:${told.port}`);
});

test('TLS with the consumer goes through the proxy', async () => {
  const proxy = await proxyForTest();
  const stage = await open(proxy.url);
  const authority = await newAuthority();
  const server = createTlsServer(await authority.issue({ hosts: ['localhost'] }), (_, response) => response.end());
  const port = await listenForTest(server);
  const account = await stage.gateway.admin.createAccount({});
  const consumers = consumersOf(stage.gateway, account.id);
  await consumers.made('billing', { url: `https://localhost:${port}/hook`, ca: authority.cert });
  expect((await settled(stage, account)).delivery_status).toBe('delivered');
  await consumers.patch('billing', { ca: null });
  expect((await settled(stage, account, 2)).delivery_history[0]).toMatchObject({ outcome: 'tls_error' });
  expect(proxy.asked.every((request) => request.startsWith('CONNECT '))).toBe(true);
});

test.each([[['localhost']], [['127.0.0.0/8', '::1']]])(
  'hosts of DELIVERY_NO_PROXY are reached without it: %s',
  async (except) => {
    const proxy = await proxyForTest();
    const stage = await open(proxy.url, except);
    const receiver = await stage.consumer();
    const account = await stage.gateway.admin.createAccount({
      delivery_url: receiver.url.replace('127.0.0.1', 'localhost'),
    });
    expect((await settled(stage, account)).delivery_status).toBe('delivered');
    expect(proxy.asked).toEqual([]);
  },
);

test('an address that is not allowed is refused before the proxy is asked', async () => {
  const proxy = await proxyForTest();
  const stage = await open(proxy.url, [], []);
  const receiver = await stage.consumer();
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = receiver.url.replace('127.0.0.1', host);
    const account = await stage.gateway.admin.createAccount({});
    await storeDeliveryUrl(stage.gateway, account.id, url);
    expect((await settled(stage, account)).delivery_history[0]).toMatchObject({ outcome: 'address_refused' });
  }
  expect(proxy.asked).toEqual([]);
});

test.each([
  [
    'refuses the user',
    (url: string) => url.replace('gateway:', 'other:'),
    'answered 407 Proxy Authentication Required',
  ],
  ['is down', (url: string) => url.replace(/:\d+$/, ':9'), 'refused'],
])('a proxy that %s is a failed attempt, whose test delivery names the step', async (_, changed, reason) => {
  const proxy = await proxyForTest();
  const stage = await open(changed(proxy.url));
  const receiver = await stage.consumer();
  const account = await stage.gateway.admin.createAccount({ delivery_url: receiver.url });
  const event = await settled(stage, account);
  expect(event.delivery_history[0]).toMatchObject({ outcome: 'proxy_error' });
  expect(event.last_error).toMatch(/^the proxy 127\.0\.0\.1:\d+ /);
  expect(event.last_error).toContain(reason);
  const { body } = await stage.gateway.admin.post(`/admin/accounts/${account.id}/test-delivery`, {});
  expect(body).toMatchObject({ code: 'delivery_unreachable', step: 'proxy' });
  expect(receiver.deliveries).toEqual([]);
});

test('a new connection that the consumer breaks is one attempt, not two', async () => {
  const proxy = await proxyForTest();
  const stage = await open(proxy.url);
  const receiver = await stage.consumer((response) => response.destroy(), 200);
  const account = await stage.gateway.admin.createAccount({ delivery_url: receiver.url });
  const event = await settled(stage, account);
  expect(event).toMatchObject({ delivery_status: 'delivered', attempts: 2 });
  expect(event.delivery_history[0]).toMatchObject({ outcome: 'connection_error' });
  expect(receiver.deliveries).toHaveLength(2);
});
