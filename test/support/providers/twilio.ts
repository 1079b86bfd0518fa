import { parse } from 'node:querystring';
import twilioLibrary from 'twilio';
import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret, signedInHeader } from './sample.ts';

const { getExpectedTwilioSignature, getExpectedBodyHash } = twilioLibrary;

export const twilio: Sample = {
  provider: 'twilio',
  newKey: sharedSecret(newSecret, ({ body, contentType, url }, secret) => {
    const text = Buffer.from(body).toString('utf8');
    const isForm = contentType?.startsWith('application/x-www-form-urlencoded') ?? false;
    const query = isForm ? '' : `?bodySHA256=${getExpectedBodyHash(text)}`;
    const signature = getExpectedTwilioSignature(secret, url + query, isForm ? { ...parse(text) } : {});
    return { headers: [['X-Twilio-Signature', signature]], query, body };
  }),
  event(id) {
    const body = new URLSearchParams({
      ApiVersion: '2010-04-01',
      AccountSid: 'AC00000000000000000000000000000000',
      MessageSid: id,
      SmsSid: id,
      SmsStatus: 'delivered',
      MessageStatus: 'delivered',
      MessagingServiceSid: 'MG00000000000000000000000000000000',
      To: '+15558675310',
      From: '+15017122661',
      Body: `Zoë paid 5 €: ${payloadMarker}${'x'.repeat(625)}`,
    }).toString();
    return {
      body,
      contentType: 'application/x-www-form-urlencoded; charset=UTF-8',
      headers: [['I-Twilio-Idempotency-Token', `token-of-${id}`]],
      type: 'message.delivered',
      externalId: id,
    };
  },
  ...signedInHeader('x-twilio-signature'),
  // The signature covers decoded names and values without separators.
  coversBody: false,
  coversTime: false,
  anyBody: true,
};
