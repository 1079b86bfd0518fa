import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import { entriesOf } from '../support/audit.ts';
import { type Consumer, type Reply, startConsumer } from '../support/consumer.ts';
import { secretWhsec } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { consumersOf } from './support.ts';

const gateway = useGateway({ worker: false });
const receivers: Consumer[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function receiver(...replies: Reply[]): Promise<Consumer> {
  const started = await startConsumer(...replies);
  receivers.push(started);
  return started;
}
const tryOut = (accountId: string, body?: unknown) =>
  gateway.admin.post(`/admin/accounts/${accountId}/test-delivery`, body);

test('goes to the consumer that is named, with its secret and its name', async () => {
  const [own, billing] = [await receiver(), await receiver()];
  const { id } = await gateway.admin.createAccount({ delivery_url: own.url, delivery_secret: secretWhsec('own') });
  const consumers = consumersOf(gateway, id);
  await consumers.made('billing', { url: billing.url, secret: secretWhsec('billing') });
  expect(await tryOut(id, { consumer: 'billing' })).toMatchObject({
    status: 200,
    body: { ok: true, url: billing.url },
  });
  const [delivery] = billing.deliveries;
  if (!delivery) throw new Error('nothing came');
  expect(own.deliveries).toEqual([]);
  expect(delivery.headers).toMatchObject({ 'x-webhook-consumer': 'billing', 'x-webhook-test': 'true' });
  const given = Object.fromEntries(Object.entries(delivery.headers).map(([name, value]) => [name, String(value)]));
  expect(new Webhook(secretWhsec('billing')).verify(delivery.body, given)).toMatchObject({
    type: 'webhook_gateway.test',
  });
  expect(() => new Webhook(secretWhsec('own')).verify(delivery.body, given)).toThrow();
  const [entry] = await entriesOf(gateway.database, id, 'account.test_delivery');
  expect(entry?.details).toEqual({ account_id: id, consumer: 'billing', status: 200 });
});

test.each([undefined, {}, { consumer: 'default' }])('with %j goes to `default`', async (body) => {
  const [own, billing] = [await receiver(), await receiver()];
  const { id } = await gateway.admin.createAccount({ delivery_url: own.url });
  await consumersOf(gateway, id).made('billing', { url: billing.url });
  expect((await tryOut(id, body)).status).toBe(200);
  expect([own.deliveries.length, billing.deliveries.length]).toEqual([1, 0]);
  expect(own.deliveries[0]?.headers['x-webhook-consumer']).toBe('default');
});

test('works for a consumer that is disabled or paused, also one whose account has no address', async () => {
  const { url, deliveries } = await receiver();
  const { id } = await gateway.admin.createAccount({});
  const consumers = consumersOf(gateway, id);
  await consumers.made('billing', { url, enabled: false });
  await consumers.pause('billing');
  expect((await tryOut(id, { consumer: 'billing' })).status).toBe(200);
  expect(deliveries).toHaveLength(1);
  expect(await tryOut(id)).toMatchObject({ status: 502, body: { code: 'delivery_unreachable' } });
});

test('masks the secrets of the consumer and of the account in what it answered', async () => {
  const { port } = await receiver((response) => response.writeHead(500).end('pass-word own-secret billing-secret'));
  const { id } = await gateway.admin.createAccount({ delivery_secret: 'own-secret' });
  await consumersOf(gateway, id).made('billing', {
    ...{ url: `http://user-name:pass-word@127.0.0.1:${port}/`, secret: 'billing-secret' },
  });
  expect(await tryOut(id, { consumer: 'billing' })).toMatchObject({
    ...{ status: 502, body: { response_code: 500, response_body: '[masked] [masked] [masked]' } },
  });
});

test('to a consumer that is unknown or deleted is 404, and a text that is no name is 422', async () => {
  const { url, deliveries } = await receiver();
  const { id } = await gateway.admin.createAccount({ delivery_url: url });
  const consumers = consumersOf(gateway, id);
  await consumers.made('gone', { url });
  await consumers.delete('gone');
  for (const consumer of ['gone', 'never'])
    expect(await tryOut(id, { consumer })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  for (const consumer of ['', 'A', 'x'.repeat(41), 5, null])
    expect(await tryOut(id, { consumer })).toMatchObject({
      ...{ status: 422, body: { errors: [{ path: 'consumer' }] } },
    });
  expect(deliveries).toEqual([]);
});
