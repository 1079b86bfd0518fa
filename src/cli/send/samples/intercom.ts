import { type ProviderSamples, type SampleContent, type SampleContext, secondsOf } from './sample.ts';

function notification({ id, at }: SampleContext, topic: string, item: Record<string, unknown>): SampleContent {
  return {
    fields: {
      type: 'notification_event',
      app_id: 'a86dr8yl',
      data: { type: 'notification_event_data', item },
      links: {},
      id: `notif_${id}`,
      topic,
      delivery_status: 'pending',
      delivery_attempts: 1,
      delivered_at: 0,
      first_sent_at: secondsOf(at),
      created_at: secondsOf(at),
      self: null,
    },
  };
}

export const intercom: ProviderSamples = {
  provider: 'intercom',
  source: 'https://developers.intercom.com/docs/references/webhooks/webhook-models',
  samples: {
    'conversation.user.created': (context) =>
      notification(context, 'conversation.user.created', {
        type: 'conversation',
        id: '4711',
        created_at: secondsOf(context.at),
        open: true,
        state: 'open',
        source: { type: 'conversation', body: '<p>Where is my order?</p>' },
      }),
    'contact.user.created': (context) =>
      notification(context, 'contact.user.created', {
        type: 'contact',
        id: context.id,
        role: 'user',
        email: 'jenny.rosen@example.com',
        name: 'Jenny Rosen',
        created_at: context.at.toISOString(),
      }),
  },
};
