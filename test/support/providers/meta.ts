import { createHmac } from 'node:crypto';
import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret, signedInHeader } from './sample.ts';

/** Signs as https://developers.facebook.com/docs/graph-api/webhooks/getting-started says; Meta has no library for it. */
export const meta: Sample = {
  provider: 'meta',
  config: { verify_token: 'meatyhamhock' },
  newKey: sharedSecret(newSecret, ({ body }, secret) => {
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return { headers: [['X-Hub-Signature-256', `sha256=${signature}`]], body };
  }),
  event(id) {
    const message = {
      from: '16505551234',
      id,
      timestamp: '1772366400',
      type: 'text',
      text: { body: `${payloadMarker}${'x'.repeat(585)}` },
    };
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
      contacts: [{ profile: { name: 'Zoe' }, wa_id: '16505551234' }],
      messages: [message],
    };
    const entry = [{ id: '102290129340398', changes: [{ value, field: 'messages' }] }];
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
    return { body, type: 'whatsapp_business_account.messages', externalId: id };
  },
  ...signedInHeader('x-hub-signature-256', 'sha256='),
  coversBody: true,
  coversTime: false,
  anyBody: true,
};
