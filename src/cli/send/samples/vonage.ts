import type { ProviderSamples } from './sample.ts';

const uuid = (id: string) => id.padEnd(32, '0').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

export const vonage: ProviderSamples = {
  provider: 'vonage',
  source: 'https://developer.vonage.com/en/messages/concepts/inbound-messages',
  samples: {
    'message.received': ({ id, at }) => ({
      fields: {
        channel: 'sms',
        message_uuid: uuid(id),
        to: '447700900000',
        from: '447700900001',
        timestamp: at.toISOString(),
        message_type: 'text',
        text: 'Where is my order?',
        sms: { num_messages: '1', keyword: 'WHERE' },
      },
    }),
    'message.delivered': ({ id, at }) => ({
      fields: {
        channel: 'sms',
        message_uuid: uuid(id),
        to: '447700900001',
        from: '447700900000',
        timestamp: at.toISOString(),
        status: 'delivered',
        usage: { currency: 'EUR', price: '0.0333' },
      },
    }),
  },
};
