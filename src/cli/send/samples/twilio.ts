import type { ProviderSamples, SampleContent } from './sample.ts';

const form = (fields: Record<string, string>, id: string): SampleContent => ({
  encoding: 'form',
  headers: [['I-Twilio-Idempotency-Token', id]],
  fields: { ApiVersion: '2010-04-01', AccountSid: 'AC00000000000000000000000000000000', ...fields },
});
const sid = (kind: string, id: string) => `${kind}${id.padEnd(32, '0')}`;

export const twilio: ProviderSamples = {
  provider: 'twilio',
  source: 'https://www.twilio.com/docs/messaging/guides/webhook-request',
  samples: {
    'message.delivered': ({ id }) =>
      form(
        {
          MessageSid: sid('SM', id),
          SmsSid: sid('SM', id),
          SmsStatus: 'delivered',
          MessageStatus: 'delivered',
          To: '+15558675310',
          From: '+15017122661',
        },
        id,
      ),
    'message.received': ({ id }) =>
      form(
        {
          MessageSid: sid('SM', id),
          SmsSid: sid('SM', id),
          SmsStatus: 'received',
          NumMedia: '0',
          NumSegments: '1',
          Body: 'Where is my order?',
          To: '+15017122661',
          From: '+15558675310',
        },
        id,
      ),
    'call.completed': ({ id }) =>
      form(
        {
          CallSid: sid('CA', id),
          CallStatus: 'completed',
          CallDuration: '42',
          Direction: 'inbound',
          To: '+15017122661',
          From: '+15558675310',
        },
        id,
      ),
  },
};
