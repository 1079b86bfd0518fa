import { hmacValidator } from '@adyen/api-library';
import { describe, expect, test } from 'vitest';
import { adyen } from '../../src/providers/adyen.ts';
import { type Item, paymentItem, payments, signItems } from '../support/providers/adyen.ts';
import { bodyOf, form, key, ok, published, refused, verdict } from './adyen-verdict.ts';
import { requestOf } from './request.ts';

describe('published vectors', () => {
  test('of the documentation', () => {
    expect(verdict(bodyOf(published), key)).toEqual(ok);
    expect(verdict(bodyOf(published), key.toLowerCase())).toEqual(ok);
  });

  test('of the library', () => {
    // https://github.com/Adyen/adyen-node-api-library/blob/main/src/__tests__/hmacValidator.spec.ts
    const item: Item = {
      pspReference: 'pspReference',
      originalReference: 'originalReference',
      merchantAccountCode: 'merchantAccount',
      merchantReference: 'reference',
      amount: { currency: 'EUR', value: 1000 },
      eventCode: 'CAPTURE',
      success: 'true',
      additionalData: { hmacSignature: 'xhpHvYq2u2Np0rstbZ6QjLGu7JWhvf7Iwaa6EviJSX0=' },
    };
    const secret = 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00';
    expect(verdict(bodyOf(item), secret)).toEqual(ok);
    expect(verdict(bodyOf({ ...item, success: 'false' }), secret)).toEqual(refused('bad_signature'));
  });
});

describe('payments', () => {
  const signedFields: [string, Partial<Item>][] = [
    ['pspReference', { pspReference: '7914073381342285' }],
    ['originalReference', { originalReference: 'x' }],
    ['merchantAccountCode', { merchantAccountCode: 'Other' }],
    ['merchantReference', { merchantReference: '' }],
    ['amount.value', { amount: { value: 1131, currency: 'EUR' } }],
    ['amount.currency', { amount: { value: 1130, currency: 'USD' } }],
    ['amount', { amount: null }],
    ['eventCode', { eventCode: 'CAPTURE' }],
    ['success', { success: 'false' }],
    ['a list in place of a text', { eventCode: ['AUTHORISATION'] }],
    ['an object in place of a text', { pspReference: { toString: 'x' } }],
  ];
  test.each(signedFields)('%s is signed', (_, change) =>
    expect(verdict(bodyOf({ ...published, ...change }), key)).toEqual(refused('bad_signature')),
  );

  test('other fields are not signed', () => {
    const changed = { ...published, reason: 'x', eventDate: 'x', operations: [], paymentMethod: 'x' };
    expect(verdict(bodyOf(changed), key)).toEqual(ok);
  });

  test('the gateway and the library accept the same items: absent, null, numeric fields, colons, other scripts', () => {
    const library = new hmacValidator();
    const items: Item[] = [
      { ...paymentItem('a'), originalReference: null },
      { ...paymentItem('a'), originalReference: 'b', success: false },
      { ...paymentItem('a'), merchantReference: 'Zoë: 💶 \\ ﷽' },
      { ...paymentItem('a'), amount: { value: 0, currency: 'JPY' } },
      { ...paymentItem('a'), amount: { value: null } },
    ];
    for (const item of items) {
      const [{ NotificationRequestItem: signed } = { NotificationRequestItem: {} }] = signItems(
        payments(item),
        key,
      ).notificationItems;
      expect(library.validateHMAC(signed as unknown as Parameters<typeof library.validateHMAC>[0], key)).toBe(true);
      expect(verdict(bodyOf(signed), key)).toEqual(ok);
    }
  });

  test('each item of a batch must be signed', () => {
    const [first, second] = [paymentItem('a'), { ...paymentItem('b'), eventCode: 'CAPTURE' }];
    const { notificationItems } = signItems(payments(first, second), key);
    const [one, two] = notificationItems.map(({ NotificationRequestItem: item }) => item);
    if (!one || !two) throw new Error('two items');
    expect(verdict(bodyOf(one, two), key)).toEqual(ok);
    for (const tampered of [
      { ...two, eventCode: 'REFUND' },
      { ...two, additionalData: one.additionalData ?? {} },
    ]) {
      expect(verdict(bodyOf(one, tampered), key)).toEqual(refused('bad_signature'));
      expect(verdict(bodyOf(tampered, one), key)).toEqual(refused('bad_signature'));
    }
    expect(verdict(bodyOf(one, second), key)).toEqual(refused('missing_signature'));
    const withStranger = (entry: unknown) =>
      JSON.stringify({ live: 'false', notificationItems: [...notificationItems, entry] });
    for (const entry of [null, 7, [], {}, { NotificationRequestItem: null }, { NotificationRequestItem: [] }, two])
      expect(verdict(withStranger(entry), key)).toEqual(refused('missing_signature'));
  });

  describe('refused because another parser may read it differently:', () => {
    const item = JSON.stringify(published);
    const entry = `{"NotificationRequestItem":${item}}`;
    const evil = `{"NotificationRequestItem":${JSON.stringify({ ...published, pspReference: 'evil' })}}`;
    test.each([
      ['the items, twice', `{"notificationItems":[${evil}],"notificationItems":[${entry}]}`],
      ['the items, in other letter case', `{"NotificationItems":[${evil}],"notificationItems":[${entry}]}`],
      ['the items, escaped', `{"notificationItem\\u0073":[${evil}],"notificationItems":[${entry}]}`],
      ['the item, twice', `{"notificationItems":[${evil.slice(0, -1)},${entry.slice(1)}]}`],
      [
        'the item, in other letter case',
        `{"notificationItems":[{"notificationrequestitem":${item},${entry.slice(1)}]}`,
      ],
      [
        'a field, twice',
        `{"notificationItems":[${entry.replace('{"NotificationRequestItem":{', '$&"eventCode":"REFUND",')}]}`,
      ],
      ['a field, in other letter case', bodyOf({ ...published, EventCode: 'REFUND' })],
      ['an empty field, in other letter case', bodyOf({ ...published, OriginalReference: 'evil' })],
      ['an amount, twice', `{"notificationItems":[${entry.replace('"amount":{', '$&"value":1,')}]}`],
      ['an amount, in other letter case', bodyOf({ ...published, amount: { value: 1130, Value: 1, currency: 'EUR' } })],
    ])('%s', (_, body) => {
      expect(JSON.parse(body)).toMatchObject({ notificationItems: [{ NotificationRequestItem: { success: 'true' } }] });
      expect(verdict(body, key)).toEqual(refused('bad_signature'));
    });

    test('fields that are not signed may have any name', () => {
      const additionalData = { ...published.additionalData, 'metadata.A': '1', 'metadata.a': '2', Value: 'x' };
      expect(verdict(bodyOf({ ...published, additionalData }), key)).toEqual(ok);
    });
  });

  test.each([
    ['no items', '{"live":"false","notificationItems":[]}', 'missing_signature'],
    ['items that are not a list', '{"notificationItems":{"0":{}}}', 'missing_signature'],
    ['another webhook without its header', '{"type":"balancePlatform.transfer.created"}', 'missing_signature'],
    ['an empty body', '', 'missing_signature'],
    ['a list', '[]', 'missing_signature'],
    ['no signature', bodyOf({ ...published, additionalData: {} }), 'missing_signature'],
    ['an empty signature', bodyOf({ ...published, additionalData: { hmacSignature: '' } }), 'missing_signature'],
    [
      'a signature that is not a text',
      bodyOf({ ...published, additionalData: { hmacSignature: ['x'] } }),
      'missing_signature',
    ],
    ['a short signature', bodyOf({ ...published, additionalData: { hmacSignature: 'AAAA' } }), 'malformed_signature'],
    [
      'an inherited signature',
      bodyOf({ ...published, additionalData: {}, ['__proto__']: { hmacSignature: 'x' } }),
      'missing_signature',
    ],
  ])('refused: %s', (_, body, reason) => expect(verdict(body, key)).toEqual(refused(reason)));

  test('the previous key is accepted', () => {
    expect(verdict(bodyOf(published), 'ab'.repeat(32), [], key)).toEqual(ok);
    expect(verdict(bodyOf(published), 'ab'.repeat(32))).toEqual(refused('bad_signature'));
  });
});

describe('payments by HTTP POST', () => {
  const fields = {
    live: 'false',
    eventCode: 'AUTHORISATION',
    pspReference: '7914073381342284',
    originalReference: '',
    merchantAccountCode: 'TestMerchant',
    merchantReference: 'TestPayment-1407325143704',
    value: '1130',
    currency: 'EUR',
    success: 'true',
    'additionalData.hmacSignature': 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=',
  };
  const encoded = (change: Record<string, string> = {}) => new URLSearchParams({ ...fields, ...change }).toString();

  test('is read and verified', () => {
    expect(verdict(encoded(), key, [form])).toEqual(ok);
    expect(verdict(encoded({ value: '1131' }), key, [form])).toEqual(refused('bad_signature'));
    const request = requestOf({ body: encoded(), headers: [form] });
    expect(adyen.eventType(request, {})).toBe('AUTHORISATION');
    expect(adyen.externalId(request, {})).toEqual({ id: 'AUTHORISATION:7914073381342284', own: true });
  });

  test('a form with a repeated field is refused', () => {
    for (const twice of [`${encoded()}&value=1130`, `eventCode=REFUND&${encoded()}`, `${encoded()}&success=`])
      expect(verdict(twice, key, [form])).toEqual(refused('bad_signature'));
  });

  test('a body that is both a form and JSON is refused', () => {
    const payload = JSON.stringify({ ...payments(published), live: `&${encoded()}&` });
    expect(verdict(payload, key)).toEqual(ok);
    expect(verdict(payload, key, [form])).toEqual(refused('missing_signature'));
  });

  test('a form without the fields of an item has no signature', () =>
    expect(verdict('a=1', key, [form])).toEqual(refused('missing_signature')));
});
