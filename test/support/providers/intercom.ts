import { createHmac, randomUUID } from 'node:crypto';
import { payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret, signedInHeader } from './sample.ts';

/** Signs as https://developers.intercom.com/docs/webhooks/webhook-notifications says; there is no library for it. */
export const intercom: Sample = {
  provider: 'intercom',
  newKey: sharedSecret(randomUUID, ({ body }, secret) => {
    const signature = createHmac('sha1', secret).update(body).digest('hex');
    return { headers: [['X-Hub-Signature', `sha1=${signature}`]], body };
  }),
  event(id) {
    const body = JSON.stringify({
      type: 'notification_event',
      app_id: 'a86dr8yl',
      data: {
        type: 'notification_event_data',
        item: { type: 'conversation', id: '4711', title: `${payloadMarker}${'x'.repeat(635)}` },
      },
      links: {},
      id,
      topic: 'conversation.user.created',
      delivery_status: 'pending',
      delivery_attempts: 1,
      delivered_at: 0,
      first_sent_at: 1772366400,
      created_at: 1772366400,
      self: null,
    });
    return { body, type: 'conversation.user.created', externalId: id };
  },
  ...signedInHeader('x-hub-signature', 'sha1='),
  coversBody: true,
  coversTime: false,
  anyBody: true,
};
