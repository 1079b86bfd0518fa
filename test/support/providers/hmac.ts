import { createHmac } from 'node:crypto';
import type { Header } from '../../../src/providers/inbound-request.ts';
import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret, signedInHeader } from './sample.ts';

const id = (body: Uint8Array) => /"ref":"([^"]*)"/.exec(Buffer.from(body).toString('latin1'))?.[1] ?? 'none';

/** A typical sender: time and body are signed, type and id are in headers. */
export const hmac: Sample = {
  provider: 'hmac',
  config: {
    header: 'X-Acme-Signature',
    prefix: 'sha256=',
    signed: '{timestamp}.{body}',
    timestamp_header: 'X-Acme-Timestamp',
    event_type_header: 'X-Acme-Event',
    event_id_header: 'X-Acme-Delivery',
  },
  newKey: sharedSecret(newSecret, ({ body, at }, secret) => {
    const seconds = Math.floor(at.getTime() / 1000);
    const signature = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
    const headers: Header[] = [
      ['X-Acme-Timestamp', String(seconds)],
      ['X-Acme-Signature', `sha256=${signature}`],
      ['X-Acme-Event', 'order.paid'],
      ['X-Acme-Delivery', id(body)],
    ];
    return { headers, body };
  }),
  event(ref) {
    const body = JSON.stringify({ ref, order: { total: '42.00', note: `${payloadMarker}${'x'.repeat(885)}` } });
    return { body, type: 'order.paid', externalId: ref };
  },
  ...signedInHeader('x-acme-signature', 'sha256='),
  coversBody: true,
  coversTime: true,
  anyBody: true,
};
