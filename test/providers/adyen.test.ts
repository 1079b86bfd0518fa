import { createHmac } from 'node:crypto';
import { hmacValidator } from '@adyen/api-library';
import { describe, expect, test } from 'vitest';
import { adyen } from '../../src/providers/adyen.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import { adyenPlatform, type Item, paymentItem } from '../support/providers/adyen.ts';
import { messageOf } from '../support/providers/request.ts';
import { bodyOf, key, ok, published, refused, signedBody, verdict } from './adyen-verdict.ts';
import { requestOf } from './request.ts';

describe('platforms', () => {
  const body = JSON.stringify({ data: { id: 'EVJN1' }, environment: 'test', type: 'balancePlatform.transfer.created' });
  const sign = (text: string) => createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');

  test('the library accepts the signature of the sample, and refuses it for a changed body', async () => {
    const platformKey = adyenPlatform.newKey();
    const signed = await platformKey.sign(messageOf(adyenPlatform, { body }));
    const [[, signature] = ['', '']] = signed.headers;
    const library = new hmacValidator();
    expect(library.validateHMACSignature(platformKey.secret, signature, body)).toBe(true);
    expect(library.validateHMACSignature(platformKey.secret, signature, `${body} `)).toBe(false);
    expect(verdict(body, platformKey.secret, signed.headers)).toEqual(ok);
  });

  test.each([
    ['the signature', [['HmacSignature', sign(body)]], ok],
    ['any case of the name', [['HMACSIGNATURE', sign(body)]], ok],
    [
      'after a wrong signature',
      [
        ['HmacSignature', sign('x')],
        ['HmacSignature', sign(body)],
      ],
      ok,
    ],
    ['a wrong signature', [['HmacSignature', sign('x')]], refused('bad_signature')],
    ['an empty signature', [['HmacSignature', '']], refused('missing_signature')],
    [
      'hexadecimal',
      [['HmacSignature', Buffer.from(sign(body), 'base64').toString('hex')]],
      refused('malformed_signature'),
    ],
    ['none', [], refused('missing_signature')],
  ] as [string, Header[], object][])('%s', (_, headers, expected) =>
    expect(verdict(body, key, headers)).toEqual(expected),
  );

  test('a signed body is not accepted as an item of payments', () => {
    const data = { id: 'EVJN1', status: 'authorised', amount: { value: 1, currency: 'EUR' } };
    const text = JSON.stringify({ data, environment: 'test', type: 'balancePlatform.transfer.created' });
    const parts = text.split(':');
    const [originalReference, merchantAccountCode, merchantReference, value, currency, eventCode, success] =
      parts.splice(-7);
    const item: Item = {
      ...{ pspReference: parts.join(':'), originalReference, merchantAccountCode, merchantReference },
      ...{ amount: { value, currency }, eventCode, success, additionalData: { hmacSignature: sign(text) } },
    };
    expect(verdict(text, key, [['HmacSignature', sign(text)]])).toEqual(ok);
    expect(verdict(bodyOf(item), key)).toEqual(refused('bad_signature'));
  });

  test('an item of payments is not accepted as a signed body', () => {
    const text = '7914073381342284::TestMerchant:TestPayment-1407325143704:1130:EUR:AUTHORISATION:true';
    const headers: Header[] = [['HmacSignature', 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=']];
    expect(sign(text)).toBe(headers[0]?.[1]);
    expect(verdict(text, key, headers)).toEqual(refused('bad_signature'));
  });
});

describe('secrets', () => {
  test.each(['', 'x', 'abc', `${key} `, `0x${key}`, 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0='])(
    '%j is not a valid key',
    (secret) => {
      expect(adyen.secret.problem?.(secret)).toMatch(/hexadecimal/);
      if (secret) expect(verdict(bodyOf(published), secret)).toEqual(refused('unusable_secret'));
    },
  );

  test('a hex key of 32 bytes is valid', () => expect(adyen.secret.problem?.(key)).toBe(null));
});

describe('event type and id', () => {
  const platform = (type: unknown, rest: object) => JSON.stringify({ type, ...rest });
  const classic = (rest: object) =>
    JSON.stringify({ eventType: 'ACCOUNT_HOLDER_CREATED', executingUserKey: 'ws', live: false, ...rest, content: {} });
  // Shapes of https://docs.adyen.com/development-resources/webhooks/webhook-types and
  // https://github.com/Adyen/adyen-node-api-library/tree/main/src/__tests__/webhooks
  const cases: [string, string, string | null, string | null][] = [
    ['one item', bodyOf(published), 'AUTHORISATION', 'AUTHORISATION:7914073381342284'],
    [
      'items of two kinds',
      bodyOf(paymentItem('a'), { ...paymentItem('b'), eventCode: 'CAPTURE' }, paymentItem('c')),
      'AUTHORISATION,CAPTURE',
      'AUTHORISATION:a,CAPTURE:b,AUTHORISATION:c',
    ],
    [
      'a transfer',
      platform('balancePlatform.transfer.created', { data: { id: 'T1' } }),
      'balancePlatform.transfer.created',
      'balancePlatform.transfer.created:T1',
    ],
    [
      'an account holder',
      platform('balancePlatform.accountHolder.created', { data: { accountHolder: { id: 'AH1' } } }),
      'balancePlatform.accountHolder.created',
      'balancePlatform.accountHolder.created:AH1',
    ],
    [
      'a token',
      platform('recurring.token.created', { eventId: 'QBQ', data: { id: 'x' } }),
      'recurring.token.created',
      'recurring.token.created:QBQ',
    ],
    // The example of https://docs.adyen.com/classic-platforms/configure-notifications/signing-notifications-with-hmac
    [
      'a classic platform',
      classic({ pspReference: '9915311308462016' }),
      'ACCOUNT_HOLDER_CREATED',
      'ACCOUNT_HOLDER_CREATED:9915311308462016',
    ],
    ['a classic platform without a reference', classic({}), 'ACCOUNT_HOLDER_CREATED', null],
    [
      'a report',
      platform('balancePlatform.report.created', { data: { fileName: 'x' } }),
      'balancePlatform.report.created',
      null,
    ],
    ['an item without a reference', bodyOf({ ...published, pspReference: '' }), 'AUTHORISATION', null],
    ['an item without a code', bodyOf({ pspReference: 'a' }), null, null],
    ['an entry that is null', '{"notificationItems":[null]}', null, null],
    ['no object', '[]', null, null],
    ['no type', platform(7, { data: { id: 'a' } }), null, null],
  ];
  test.each(cases)('%s', (_, body, type, id) => {
    const request = requestOf({ body });
    expect(adyen.eventType(request, {})).toBe(type);
    expect(adyen.externalId(request, {})).toEqual(
      id === null ? { id: expect.stringMatching(/^gen-/), own: false } : { id, own: true },
    );
  });

  test('a long batch has an id that can be stored', () => {
    const body = bodyOf(...Array.from({ length: 500 }, (_, index) => paymentItem(`${index}`.repeat(20))));
    expect(adyen.externalId(requestOf({ body }), {}).id).toHaveLength(255);
  });
});

test('the same item is a duplicate; another outcome or another item in the batch is not', () => {
  const keyOf = (body: string) => {
    const request = requestOf({ body });
    const hash = adyen.dedupKey(request, adyen.externalId(request, {}), {});
    return hash && Buffer.from(hash).toString('hex');
  };
  const first = keyOf(signedBody(paymentItem('a')));
  expect(first).not.toBe(null);
  expect(keyOf(signedBody(paymentItem('a')))).toBe(first);
  expect(keyOf(signedBody({ ...paymentItem('a'), success: 'false' }))).not.toBe(first);
  expect(keyOf(signedBody({ ...paymentItem('a'), reason: 'unsigned' }))).not.toBe(first);
  expect(keyOf(signedBody(paymentItem('a'), paymentItem('b')))).not.toBe(first);
  expect(keyOf(JSON.stringify({ type: 'x' }))).toBe(null);
});
