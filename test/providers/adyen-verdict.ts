import { expect } from 'vitest';
import { adyen } from '../../src/providers/adyen.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { type Item, payments, signItems } from '../support/providers/adyen.ts';
import { requestOf } from './request.ts';

export const form: Header = ['Content-Type', 'application/x-www-form-urlencoded'];
export const verdict = (body: string, current: string, headers: Header[] = [], previous: string | null = null) =>
  verifyInbound(adyen, { skip: false, current, previous, config: {} }, requestOf({ body, headers }));
export const ok = { ok: true };
export const refused = (reason: string) => expect.objectContaining({ ok: false, reason });

// https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures
export const key = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
export const published: Item = {
  additionalData: { hmacSignature: 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=' },
  amount: { value: 1130, currency: 'EUR' },
  pspReference: '7914073381342284',
  eventCode: 'AUTHORISATION',
  eventDate: '2019-05-06T17:15:34.121+02:00',
  merchantAccountCode: 'TestMerchant',
  operations: ['CANCEL', 'CAPTURE', 'REFUND'],
  merchantReference: 'TestPayment-1407325143704',
  paymentMethod: 'visa',
  success: 'true',
};
export const bodyOf = (...items: Item[]) => JSON.stringify(payments(...items));
export const signedBody = (...items: Item[]) => JSON.stringify(signItems(payments(...items), key));
