import { type ProviderSamples, type SampleContent, type SampleContext, secondsOf } from './sample.ts';

function event({ id, at }: SampleContext, data: Record<string, unknown>): SampleContent {
  return {
    fields: {
      'event-data': {
        id,
        timestamp: secondsOf(at),
        recipient: 'jenny.rosen@example.com',
        'recipient-domain': 'example.com',
        message: { headers: { 'message-id': `${id}@mg.example.com`, subject: 'Your order', to: 'Jenny Rosen' } },
        tags: [],
        'user-variables': {},
        ...data,
      },
    },
  };
}

export const mailgun: ProviderSamples = {
  provider: 'mailgun',
  source: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads',
  samples: {
    delivered: (context) =>
      event(context, {
        event: 'delivered',
        'log-level': 'info',
        'delivery-status': { code: 250, message: 'OK', 'attempt-no': 1, tls: true },
      }),
    permanent_fail: (context) =>
      event(context, {
        event: 'failed',
        severity: 'permanent',
        reason: 'suppress-bounce',
        'log-level': 'error',
        'delivery-status': {
          code: 605,
          message: '',
          'attempt-no': 1,
          description: 'Not delivering to a bounced address',
        },
      }),
  },
};
