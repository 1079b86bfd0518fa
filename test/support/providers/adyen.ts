import { randomBytes } from 'node:crypto';
import { hmacValidator } from '@adyen/api-library';
import { payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret, signedInHeader } from './sample.ts';

export type Item = Record<string, unknown> & { additionalData?: Record<string, unknown> };
export type Payments = { live: string; notificationItems: { NotificationRequestItem: Item }[] };

const library = new hmacValidator();
const newSecret = () => randomBytes(32).toString('hex').toUpperCase();

export function paymentItem(pspReference: string): Item {
  return {
    additionalData: { 'checkout.cardAddedBrand': 'visa', reason: `${payloadMarker}${'x'.repeat(485)}` },
    amount: { currency: 'EUR', value: 1130 },
    eventCode: 'AUTHORISATION',
    eventDate: '2026-03-01T12:00:00+01:00',
    merchantAccountCode: 'TestMerchant',
    merchantReference: 'TestPayment-1407325143704',
    operations: ['CANCEL', 'CAPTURE', 'REFUND'],
    paymentMethod: 'visa',
    pspReference,
    reason: '033899:1111:03/2030',
    success: 'true',
  };
}

export function payments(...items: Item[]): Payments {
  return { live: 'false', notificationItems: items.map((item) => ({ NotificationRequestItem: item })) };
}

/** Signs each item with Adyen's library. */
export function signItems({ live, notificationItems }: Payments, secret: string): Payments {
  return {
    live,
    notificationItems: notificationItems.map(({ NotificationRequestItem: item }) => {
      // The library's type has more fields than the signature covers.
      const hmacSignature = library.calculateHmac(
        item as unknown as Parameters<typeof library.calculateHmac>[0],
        secret,
      );
      return { NotificationRequestItem: { ...item, additionalData: { ...item.additionalData, hmacSignature } } };
    }),
  };
}

const read = (body: Uint8Array): Payments => JSON.parse(Buffer.from(body).toString('utf8'));
const written = (payload: Payments) => Buffer.from(JSON.stringify(payload));

/** Payments: each item contains its signature over some of its fields. */
export const adyen: Sample = {
  provider: 'adyen',
  newKey: sharedSecret(newSecret, ({ body }, secret) => ({
    headers: [],
    body: written(signItems(read(body), secret)),
  })),
  event(id) {
    return {
      body: JSON.stringify(payments(paymentItem(id))),
      type: 'AUTHORISATION',
      externalId: `AUTHORISATION:${id}`,
    };
  },
  signature: 'body',
  coversBody: false,
  coversTime: false,
  anyBody: false,
  withSignature(signed, change) {
    const { live, notificationItems } = read(signed.body);
    const items = notificationItems.map(({ NotificationRequestItem: { additionalData, ...item } }): Item => {
      const { hmacSignature, ...others } = additionalData ?? {};
      const changed = change(String(hmacSignature));
      return { ...item, additionalData: changed === null ? others : { ...others, hmacSignature: changed } };
    });
    return { ...signed, body: written({ ...payments(...items), live }) };
  },
};

/** Platforms: the body is signed. The library only verifies this form, but calculates the same signature of a text. */
export const adyenPlatform: Sample = {
  provider: 'adyen',
  newKey: sharedSecret(newSecret, ({ body }, secret) => {
    const hmacSignature = library.calculateHmac(Buffer.from(body).toString('utf8'), secret);
    return {
      headers: [
        ['HmacSignature', hmacSignature],
        ['Protocol', 'HmacSHA256'],
      ],
      body,
    };
  }),
  event(id) {
    const data = {
      id,
      balancePlatform: 'YOUR_PLATFORM',
      description: `${payloadMarker}${'x'.repeat(785)}`,
      status: 'authorised',
    };
    const type = 'balancePlatform.transfer.created';
    return { body: JSON.stringify({ data, environment: 'test', type }), type, externalId: `${type}:${id}` };
  },
  ...signedInHeader('hmacsignature'),
  coversBody: true,
  coversTime: false,
  anyBody: false,
};
