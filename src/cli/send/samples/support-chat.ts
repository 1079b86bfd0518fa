import { type ProviderSamples, secondsOf } from './sample.ts';

export const supportChat: ProviderSamples = {
  provider: 'support_chat',
  source: 'docs/providers.md',
  samples: {
    'chat.message': ({ id, at }) => ({
      fields: {
        event: 'message:send',
        timestamp: secondsOf(at),
        data: { session_id: `session_${id.slice(0, 12)}`, fingerprint: id, content: 'Where is my order?' },
      },
    }),
  },
};
