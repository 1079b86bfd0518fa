import { createSign, generateKeyPairSync } from 'node:crypto';
import { payloadMarker } from '../secrets.ts';
import { type Sample, signedInHeader } from './sample.ts';

export const sendgrid: Sample = {
  provider: 'sendgrid',
  newKey() {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    return {
      secret: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      sign({ body, at }) {
        const timestamp = String(Math.floor(at.getTime() / 1000));
        const signature = createSign('sha256').update(timestamp).update(body).sign(privateKey, 'base64');
        return {
          headers: [
            ['X-Twilio-Email-Event-Webhook-Signature', signature],
            ['X-Twilio-Email-Event-Webhook-Timestamp', timestamp],
          ],
          body,
        };
      },
    };
  },
  event(id) {
    const events = [
      {
        email: 'zoe@example.com',
        event: 'delivered',
        ip: '192.0.2.1',
        response: `250 OK ${payloadMarker}${'x'.repeat(705)}`,
        sg_event_id: id,
        sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-1-2-3.0',
        'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@geopod-ismtpd-1>',
        timestamp: 1772366390,
      },
    ];
    return { body: `${JSON.stringify(events)}\r\n`, type: 'delivered', externalId: id };
  },
  ...signedInHeader('x-twilio-email-event-webhook-signature'),
  coversBody: true,
  coversTime: true,
  anyBody: true,
};
