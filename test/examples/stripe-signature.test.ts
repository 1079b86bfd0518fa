import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { isSigned } from '../../examples/node/signature.ts';
import { consumerForTest } from '../support/consumer.ts';
import { startGateway } from '../support/gateway.ts';
import { newSecret, newWhsec } from '../support/secrets.ts';
import { forTest } from '../support/use.ts';

const { webhooks } = new Stripe('sk_test_unused');
/** Of Stripe's library, unless it is told another. */
const toleranceMs = 300_000;

test('after its tolerance, constructEvent refuses a delivery that the gateway has signed; with tolerance 0 it does not', async () => {
  const gateway = await forTest(startGateway());
  const consumer = await consumerForTest(500, 200);
  const [stripeSecret, deliverySecret] = [`whsec_${newSecret()}`, newWhsec()];
  const account = await gateway.admin.createAccount({
    ...{ provider: 'stripe', skip_signature_verification: false, signing_secret_current: stripeSecret },
    ...{ delivery_url: consumer.url, delivery_secret: deliverySecret },
  });
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'charge.succeeded', data: { object: {} } });
  const header = webhooks.generateTestHeaderString({ payload, secret: stripeSecret });
  const { body } = await gateway.send(account, payload, {
    ...{ 'content-type': 'application/json', 'stripe-signature': header },
  });
  await gateway.admin.eventually(body.id, (event) => event.delivery_status === 'delivered');
  expect(consumer.deliveries).toHaveLength(2);

  for (const { body: bytes, headers } of consumer.deliveries) {
    // A later attempt carries the signature that Stripe has made once.
    expect(headers['stripe-signature']).toBe(header);
    expect(isSigned(bytes, headers, [deliverySecret])).toBe(true);
  }
  const [, { body: bytes } = { body: '' }] = consumer.deliveries;
  const construct = (tolerance: number | undefined, atMs: number) =>
    webhooks.constructEvent(bytes, header, stripeSecret, tolerance, undefined, atMs);
  expect(construct(undefined, Date.now())).toMatchObject({ id: 'evt_1' });
  const later = Date.now() + toleranceMs + 2_000;
  expect(() => construct(undefined, later)).toThrow('Timestamp outside the tolerance zone');
  expect(construct(0, later)).toMatchObject({ id: 'evt_1' });
});
