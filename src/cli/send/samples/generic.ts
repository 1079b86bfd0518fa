import type { ProviderSamples } from './sample.ts';

export const generic: ProviderSamples = {
  provider: 'generic',
  source: 'docs/providers.md',
  samples: {
    'order.created': ({ id, at }) => ({
      fields: {
        id: `order-${id}`,
        type: 'order.created',
        created_at: at.toISOString(),
        data: { customer: 'jenny.rosen@example.com', total: '42.00', currency: 'EUR' },
      },
    }),
  },
};
