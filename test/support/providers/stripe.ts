import Stripe from 'stripe';
import type { Header } from '../../../src/providers/inbound-request.ts';
import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret } from './sample.ts';

const { webhooks } = new Stripe('sk_test_unused');

export const stripe: Sample = {
  provider: 'stripe',
  newKey: sharedSecret(
    () => `whsec_${newSecret()}`,
    ({ body, at }, secret) => {
      const timestamp = Math.floor(at.getTime() / 1000);
      const payload = Buffer.from(body).toString('utf8');
      const header = webhooks.generateTestHeaderString({ payload, secret, timestamp });
      return { headers: [['stripe-signature', header]], body };
    },
  ),
  event(id) {
    const data = {
      object: { id: 'ch_1', object: 'charge', amount: 4200, description: `${payloadMarker}${'x'.repeat(845)}` },
    };
    const body = JSON.stringify({ id, object: 'event', api_version: '2026-10-28', type: 'charge.succeeded', data });
    return { body, type: 'charge.succeeded', externalId: id };
  },
  signature: { header: 'stripe-signature' },
  coversBody: true,
  coversTime: true,
  anyBody: true,
  withSignature(signed, change) {
    const headers = signed.headers.flatMap(([name, value]): Header[] => {
      const [time, signature] = value.split(',v1=');
      if (name !== 'stripe-signature' || signature === undefined) return [[name, value]];
      const changed = change(signature);
      return changed === null ? [] : [[name, `${time},v1=${changed}`]];
    });
    return { ...signed, headers };
  },
};
