import type { ProviderSamples } from './sample.ts';

export const standard: ProviderSamples = {
  provider: 'standard',
  source: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  samples: {
    'contact.created': ({ id, at }) => ({
      fields: {
        id: `evt_${id}`,
        type: 'contact.created',
        timestamp: at.toISOString(),
        data: { id: '1f81eb52-5198-4599-803e-771906343485', name: 'Jenny Rosen', email: 'jenny.rosen@example.com' },
      },
    }),
  },
};
