import type { ProviderSamples } from './sample.ts';

export const hmac: ProviderSamples = {
  provider: 'hmac',
  source: 'docs/providers.md',
  // Of the account that --test-account makes. Other accounts have their own.
  config: { header: 'X-Signature', prefix: 'sha256=' },
  samples: {
    'order.paid': ({ id, at }) => ({
      fields: {
        id: `order-${id}`,
        type: 'order.paid',
        created_at: at.toISOString(),
        data: { total: '42.00', currency: 'EUR' },
      },
    }),
  },
};
