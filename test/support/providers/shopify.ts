import { createHmac } from 'node:crypto';
import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret, signedInHeader } from './sample.ts';

/** Signs as https://shopify.dev/docs/apps/build/webhooks/verify-deliveries says; Shopify's library only verifies. */
export const shopify: Sample = {
  provider: 'shopify',
  newKey: sharedSecret(
    () => `shpss_${newSecret()}`,
    ({ body }, secret) => {
      const signature = createHmac('sha256', secret).update(body).digest('base64');
      return { headers: [['X-Shopify-Hmac-Sha256', signature]], body };
    },
  ),
  event(id) {
    const body = JSON.stringify({
      id: 820982911946154500,
      email: 'zoe@example.com',
      currency: 'EUR',
      total_price: '42.00',
      note: `${payloadMarker}${'x'.repeat(885)}`,
      line_items: [{ id: 866550311766439000, quantity: 1, price: '42.00' }],
    });
    return {
      body,
      headers: [
        ['X-Shopify-Topic', 'orders/create'],
        ['X-Shopify-Shop-Domain', 'acme.myshopify.com'],
        ['X-Shopify-API-Version', '2026-10'],
        ['X-Shopify-Webhook-Id', id],
        ['X-Shopify-Event-Id', '98880550-7158-44d4-b7cd-2c97c8a091b5'],
        ['X-Shopify-Triggered-At', '2026-03-01T12:00:00.000000000Z'],
      ],
      type: 'orders/create',
      externalId: id,
    };
  },
  ...signedInHeader('x-shopify-hmac-sha256'),
  coversBody: true,
  coversTime: false,
  anyBody: true,
};
