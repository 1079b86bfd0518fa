import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Consumer, startConsumer } from '../support/consumer.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

// The request that a consumer receives (docs/delivery.md).

let consumer: Consumer;
const gateway = useGateway({ delaysMs: slowDelaysMs });
beforeEach(async () => {
  consumer = await startConsumer();
});
afterEach(() => consumer.close());

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

const nthDelivery = (n: number) => until(`delivery ${n}`, () => consumer.deliveries[n - 1]);

/** The headers of a delivery in the form that the verifier needs. */
function signed(delivery: { headers: Consumer['deliveries'][number]['headers'] }): Record<string, string> {
  return Object.fromEntries(Object.entries(delivery.headers).map(([name, value]) => [name, String(value)]));
}

test('is signed with the delivery secret as in Standard Webhooks', async () => {
  const secret = newSecret();
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url, delivery_secret: secret });
  const { body } = await gateway.send(account, '{"id":"signed","text":"grüße"}');
  const delivery = await nthDelivery(1);
  expect(delivery.headers['webhook-id']).toBe(body.id);
  expect(new Webhook(secret).verify(delivery.body, signed(delivery))).toEqual({ id: 'signed', text: 'grüße' });
  expect(() => new Webhook(newSecret()).verify(delivery.body, signed(delivery))).toThrow();
});

test('without a delivery URL goes to the project, signed with the secret of the project', async () => {
  const [own, project] = [newSecret(), newSecret()];
  const account = await gateway.admin.createAccount({
    delivery_secret: own,
    project_delivery_url: consumer.url,
    project_delivery_secret: project,
  });
  await gateway.send(account, '{"id":"fallback"}');
  const delivery = await nthDelivery(1);
  expect(new Webhook(project).verify(delivery.body, signed(delivery))).toEqual({ id: 'fallback' });
  expect(() => new Webhook(own).verify(delivery.body, signed(delivery))).toThrow();
});

test('goes to the delivery URL where the account has both', async () => {
  const project = await startConsumer();
  const account = await gateway.admin.createAccount({
    delivery_url: consumer.url,
    project_delivery_url: project.url,
    project_delivery_secret: newSecret(),
  });
  const { body } = await gateway.send(account, '{"id":"both"}');
  const delivery = await nthDelivery(1);
  // Without a delivery secret it is not signed: the project's secret is for the project's URL only.
  expect(delivery.headers).not.toHaveProperty('webhook-signature');
  await gateway.admin.eventually(body.id, (e) => e.delivery_status === 'delivered');
  expect(project.deliveries).toHaveLength(0);
  await project.close();
});

test('has the documented headers in addition to those of the provider', async () => {
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const { body } = await gateway.send(account, '{"id":17,"type":"order.created"}', {
    'content-type': 'application/vnd.orders+json; charset=utf-8',
    'x-order-shop': 'Shop One',
    'x-webhook-attempt': '99',
    'x-webhook-replay': 'true',
    'x-webhook-test': 'true',
    'webhook-signature': 'v1,forged',
    'webhook-id': 'forged',
  });
  const { headers, rawHeaders } = await nthDelivery(1);
  expect(headers).toMatchObject({
    'content-type': 'application/vnd.orders+json; charset=utf-8',
    'x-order-shop': 'Shop One',
    'webhook-id': body.id,
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'x-webhook-provider': 'generic',
    'x-webhook-account': account.account_slug,
    'x-webhook-event-type': 'order.created',
    'x-webhook-external-id': '17',
    'x-webhook-attempt': '1',
    'x-webhook-replay': 'false',
    host: `127.0.0.1:${consumer.port}`,
  });
  expect(headers).not.toHaveProperty('webhook-signature');
  expect(headers).not.toHaveProperty('x-webhook-test');
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('percent-encodes values that are not printable ASCII, and leaves out an empty event type', async () => {
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  await gateway.send(account, '{"id":"ü 1","type":"bestellung.geöffnet"}');
  const first = await nthDelivery(1);
  expect(first.headers['x-webhook-event-type']).toBe('bestellung.ge%C3%B6ffnet');
  expect(decodeURIComponent(String(first.headers['x-webhook-external-id']))).toBe('ü 1');
  await gateway.send(account, '{"id":"no type"}');
  expect((await nthDelivery(2)).headers).not.toHaveProperty('x-webhook-event-type');
});

test.each([
  ['a header of its own', { 'x-webhook-secret': secretText('very-secret-value') }, ''],
  ['a bearer token', { authorization: `Bearer ${secretText('very-secret-value')}` }, ''],
  [
    'the URL',
    { 'x-original-url': `https://shop.example/in?key=${secretText('very-secret-value')}` },
    `?key=${secretText('very-secret-value')}`,
  ],
])('contains neither cookies nor the inbound secret from %s', async (_, secretHeaders, query) => {
  const account = await gateway.admin.createAccount({
    delivery_url: consumer.url,
    skip_signature_verification: false,
    signing_secret_current: secretText('very-secret-value'),
  });
  const headers = { ...secretHeaders, cookie: 'session=biscuit', 'x-shop': 'kept' };
  const { status, body } = await gateway.send(account, '{"id":"secret"}', headers, query);
  expect(status).toBe(202);
  const delivery = await nthDelivery(1);
  expect(delivery.headers['x-shop']).toBe('kept');
  expect(`${delivery.url} ${delivery.rawHeaders.join(' ')}`).not.toMatch(/very-secret-value|biscuit|masked/);
  const event = await gateway.admin.event(body.id);
  expect(JSON.stringify(event)).not.toMatch(/very-secret-value|biscuit/);
});

const oddJson = '{ "b":1,"a" : 2,\n\t"b":3, "n":1.0e+2,"big":12345678901234567890123, "s":"\\u00e4\\/ä" }\r\n';
const gzip = new Uint8Array(gzipSync(Buffer.from('{"id":"packed"}')));
const json = { 'content-type': 'application/json' };

test.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>]>([
  ['odd JSON', oddJson, json],
  ['invalid JSON', '{"id":', json],
  [
    'bytes that are not text',
    new Uint8Array([0, 255, 254, 13, 10, 0, 128]),
    { 'content-type': 'application/octet-stream' },
  ],
  ['no bytes', '', { 'content-type': 'text/plain' }],
  ['gzip', gzip, { ...json, 'content-encoding': 'gzip' }],
])('contains %s unchanged, on delivery and on replay', async (_, body, headers) => {
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const sent = await gateway.send(account, body, headers);
  expect(sent.status).toBe(202);
  const first = await nthDelivery(1);
  expect((await gateway.admin.post(`/admin/events/${sent.body.id}/replay`)).status).toBe(202);
  const second = await nthDelivery(2);
  for (const delivery of [first, second]) {
    expect(delivery.body.equals(Buffer.from(body))).toBe(true);
    expect(delivery.headers).toMatchObject({ ...headers, 'content-length': String(Buffer.from(body).length) });
  }
});

test('keeps its webhook-id on retry and replay, and marks a replay', async () => {
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  consumer.replies = [500, 500, 200];
  const { body } = await gateway.send(account, '{"id":"again"}');
  await nthDelivery(1);
  expect((await gateway.admin.post(`/admin/delivery/retry/${body.id}`)).status).toBe(202);
  await nthDelivery(2);
  expect((await gateway.admin.post(`/admin/delivery/retry/${body.id}`)).status).toBe(202);
  await nthDelivery(3);
  await gateway.admin.eventually(body.id, (e) => e.delivery_status === 'delivered');
  expect((await gateway.admin.post(`/admin/events/${body.id}/replay`)).status).toBe(202);
  await nthDelivery(4);
  const seen = consumer.deliveries.map(({ headers }) => [
    headers['webhook-id'],
    headers['x-webhook-attempt'],
    headers['x-webhook-replay'],
  ]);
  expect(seen).toEqual([
    [body.id, '1', 'false'],
    [body.id, '1', 'false'],
    [body.id, '2', 'false'],
    [body.id, '1', 'true'],
  ]);
});
