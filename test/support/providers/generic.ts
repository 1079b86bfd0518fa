import { newSecret, payloadMarker } from '../secrets.ts';
import { inHeader, type Sample } from './sample.ts';

/** Not signed: the secret itself is sent. */
export const generic: Sample = {
  provider: 'generic',
  config: {},
  newKey() {
    const secret = newSecret();
    return { secret, sign: ({ body }) => ({ headers: [['X-Webhook-Secret', secret]], body }) };
  },
  event(id) {
    const body = JSON.stringify({
      id,
      type: 'order.created',
      data: { total: '42.00', note: `${payloadMarker}${'x'.repeat(885)}` },
    });
    return { body, type: 'order.created', externalId: id };
  },
  signature: { header: 'x-webhook-secret' },
  coversBody: false,
  coversTime: false,
  anyBody: true,
  withSignature: inHeader('x-webhook-secret'),
};
