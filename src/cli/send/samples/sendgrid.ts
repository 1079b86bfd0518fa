import { type ProviderSamples, type SampleContent, type SampleContext, secondsOf } from './sample.ts';

const event = ({ id, at }: SampleContext, fields: Record<string, unknown>): SampleContent => ({
  fields: [
    {
      email: 'jenny.rosen@example.com',
      timestamp: secondsOf(at),
      'smtp-id': '<14c5d75ce93.dfd.64b469@ismtpd-555>',
      sg_event_id: id,
      sg_message_id: `${id}.recvd-1-1`,
      ...fields,
    },
  ],
});

export const sendgrid: ProviderSamples = {
  provider: 'sendgrid',
  source: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event',
  samples: {
    delivered: (context) => event(context, { event: 'delivered', response: '250 OK', tls: 1 }),
    bounce: (context) =>
      event(context, { event: 'bounce', type: 'bounce', status: '5.0.0', reason: '500 unknown recipient' }),
  },
};
