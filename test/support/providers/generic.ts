import { randomBytes } from 'node:crypto';
import { inHeader, type Sample } from './sample.ts';

/** Nothing is signed: the secret itself goes along. */
export const generic: Sample = {
  provider: 'generic',
  config: {},
  newKey() {
    const secret = randomBytes(24).toString('base64url');
    return { secret, sign: ({ body }) => ({ headers: [['X-Webhook-Secret', secret]], body }) };
  },
  event(id) {
    const body = JSON.stringify({ id, type: 'order.created', data: { total: '42.00', note: 'x'.repeat(900) } });
    return { body, type: 'order.created', externalId: id };
  },
  signature: { header: 'x-webhook-secret' },
  coversBody: false,
  coversTime: false,
  anyBody: true,
  withSignature: inHeader('x-webhook-secret'),
};
