import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret, signedInHeader } from './sample.ts';

/** Not signed: the secret itself is sent. */
export const generic: Sample = {
  provider: 'generic',
  newKey: sharedSecret(newSecret, ({ body }, secret) => ({ headers: [['X-Webhook-Secret', secret]], body })),
  event(id) {
    const body = JSON.stringify({
      id,
      type: 'order.created',
      data: { total: '42.00', note: `${payloadMarker}${'x'.repeat(885)}` },
    });
    return { body, type: 'order.created', externalId: id };
  },
  ...signedInHeader('x-webhook-secret'),
  coversBody: false,
  coversTime: false,
  anyBody: true,
};
