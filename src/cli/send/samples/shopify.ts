import type { ProviderSamples, SampleContent, SampleContext } from './sample.ts';

function order({ id, at }: SampleContext, topic: string, fields: Record<string, unknown>): SampleContent {
  const digits = Number.parseInt(id.slice(0, 11), 16);
  return {
    headers: [
      ['X-Shopify-Topic', topic],
      ['X-Shopify-Shop-Domain', 'acme.myshopify.com'],
      ['X-Shopify-API-Version', '2026-10'],
      ['X-Shopify-Webhook-Id', id],
      ['X-Shopify-Event-Id', id],
      ['X-Shopify-Triggered-At', at.toISOString()],
    ],
    fields: {
      id: digits,
      email: 'jenny.rosen@example.com',
      created_at: at.toISOString(),
      currency: 'EUR',
      total_price: '42.00',
      line_items: [{ id: digits + 1, title: 'Shirt', quantity: 1, price: '42.00' }],
      ...fields,
    },
  };
}

export const shopify: ProviderSamples = {
  provider: 'shopify',
  source: 'https://shopify.dev/docs/api/webhooks',
  samples: {
    'orders/create': (context) => order(context, 'orders/create', { financial_status: 'pending' }),
    'orders/paid': (context) => order(context, 'orders/paid', { financial_status: 'paid' }),
  },
};
