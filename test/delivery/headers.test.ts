import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DeliveryHeadersInput, deliveryHeaders, type Header, headerValue } from '../../src/delivery/headers.ts';
import { MASKED } from '../../src/secrets/masked.ts';
import { consumer, hook, sender } from './servers.ts';

const event = {
  provider: 'generic',
  accountSlug: 'acme',
  eventType: 'order.paid',
  externalId: 'x-1',
  requestId: 'e0',
  consumer: 'billing',
  attempt: 3,
  replay: false,
};
const webhook = { id: 'e1', timestampS: 1_700_000_000, signature: 'v1,abc' };

const build = (providerHeaders: Header[], more: Partial<DeliveryHeadersInput> = {}) =>
  deliveryHeaders({ providerHeaders, contentType: 'application/json', event, webhook, ...more });

const ours: Header[] = [
  ['content-type', 'application/json'],
  ['webhook-id', 'e1'],
  ['webhook-timestamp', '1700000000'],
  ['webhook-signature', 'v1,abc'],
  ['x-webhook-provider', 'generic'],
  ['x-webhook-account', 'acme'],
  ['x-webhook-event-type', 'order.paid'],
  ['x-webhook-external-id', 'x-1'],
  ['x-webhook-request-id', 'e0'],
  ['x-webhook-consumer', 'billing'],
  ['x-webhook-attempt', '3'],
  ['x-webhook-replay', 'false'],
];

describe('added headers', () => {
  test('are all that the gateway sets', () => expect(build([])).toEqual(ours));

  test('leave out what the event does not have', () => {
    const headers = build([], {
      contentType: null,
      event: { ...event, eventType: null, replay: true },
      webhook: { ...webhook, signature: null },
    });
    const absent = ['content-type', 'webhook-signature', 'x-webhook-event-type'];
    expect(headers).toEqual(
      ours.filter(([name]) => !absent.includes(name)).map((h) => (h[0] === 'x-webhook-replay' ? [h[0], 'true'] : h)),
    );
  });

  test('include the mark of a test delivery, which no other delivery can have', () => {
    const forged: Header[] = [['X-Webhook-Test', 'false']];
    expect(build(forged, { event: { ...event, test: true } })).toEqual([...ours, ['x-webhook-test', 'true']]);
    expect(build(forged, { event: { ...event, test: false } })).toEqual(ours);
  });

  test('mark the events of a backfill', () => {
    const forged: Header[] = [
      ['X-Webhook-Backfill', 'true'],
      ['X-Webhook-Consumer', 'other'],
      ['X-Webhook-Request-Id', 'other'],
    ];
    expect(build(forged, { event: { ...event, backfill: true } })).toEqual([...ours, ['x-webhook-backfill', 'true']]);
    expect(build(forged)).toEqual(ours);
  });

  test('are percent-encoded as UTF-8 where the value is not printable ASCII', () => {
    expect(headerValue('100% of a/b c')).toBe('100% of a/b c');
    expect(headerValue('Zürich 5%')).toBe('Z%C3%BCrich%205%25');
    expect(headerValue('a\r\nx-evil: 1')).toBe('a%0D%0Ax-evil:%201');
    expect(headerValue(' padded')).toBe('%20padded');
    expect(headerValue('\ud800')).toBe('%EF%BF%BD');
  });

  test('decode to the original text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const value = headerValue(text);
        expect(value).toMatch(/^[\t\x20-\x7e]*$/);
        expect(value === text || decodeURIComponent(value) === text).toBe(true);
      }),
    );
  });
});

describe('forwarding', () => {
  const dropped = [
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'proxy-connection',
    'TE',
    'Trailer',
    'Upgrade',
  ].concat(
    ['Transfer-Encoding', 'Host', 'Content-Length', 'Expect', 'Accept-Encoding', 'Cookie', 'Set-Cookie'],
    ['Authorization', 'Content-Type', 'Webhook-Id', 'WEBHOOK-SIGNATURE', 'webhook_signature', 'X-Webhook-Replay'],
    ['X-Webhook-Test', 'x_webhook_test'],
  );
  test.each(dropped)('drops %s', (name) => expect(build([[name, '1']])).toEqual(ours));

  test('drops the headers that Connection lists', () => {
    expect(
      build([
        ['Connection', 'close, X-Hop'],
        ['x-hop', '1'],
        ['connection', 'Other'],
        ['OTHER', '2'],
      ]),
    ).toEqual(ours);
  });

  test('drops an inbound signature even where the gateway adds none', () => {
    const headers = build([['Webhook-Signature', 'v1,forged']], { webhook: { ...webhook, signature: null } });
    expect(headers.some(([name]) => name.toLowerCase() === 'webhook-signature')).toBe(false);
  });

  test('drops masked values, line breaks, NULs and invalid names', () => {
    const bad: Header[] = [
      ['x-secret', MASKED],
      ['x-original-url', `https://a.example/?key=${MASKED}`],
      ['x-a', 'a\r\nb'],
      ['x-b', 'a\0b'],
      ['', 'a'],
      [':path', '/'],
      ['x y', 'a'],
      ['x\r\ny', 'a'],
    ];
    expect(build(bad)).toEqual(ours);
  });

  test('keeps all other headers, with order, case, repetition and content-encoding', () => {
    const kept: Header[] = [
      ['User-Agent', 'Stripe/1.0'],
      ['X-Tag', 'a'],
      ['Content-Encoding', 'gzip'],
      ['x-tag', 'b'],
      ['X-Webhook-Topic', 'orders'],
    ];
    expect(build(kept)).toEqual([...kept, ...ours]);
  });

  test('percent-encodes bytes that arrived as UTF-8', () => {
    const asNodeReadsIt = Buffer.from('Zürich').toString('latin1');
    expect(build([['x-city', asNodeReadsIt]])[0]).toEqual(['x-city', 'Z%C3%BCrich']);
  });
});

/** Text as Node decodes headers (latin1), including bytes that Node never lets through. */
const latin1 = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'));

const anyName = fc.oneof(
  latin1,
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,15}$/),
  fc.constantFrom('Connection', 'COOKIE', 'authorization', 'Transfer-Encoding', 'proxy-x', 'host', 'upgrade', 'expect'),
  fc.constantFrom('content-length', 'keep-alive', 'Webhook_Id', 'x-webhook-attempt', '__proto__', 'constructor'),
);
const anyValue = fc.oneof(
  latin1,
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(MASKED, `a${MASKED}`, 'close, X-Hop', 'é', '', ' ', '\t', 'a\u0000'),
);
const anyHeaders = fc.array(fc.tuple(anyName, anyValue), { maxLength: 20 });
const never =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|host|content-length|expect|cookie|authorization|proxy-.*)$/;

test('forbidden headers never pass, and the rest is valid HTTP', () => {
  fc.assert(
    fc.property(anyHeaders, fc.option(anyValue), anyValue, (providerHeaders, contentType, externalId) => {
      const headers = build(providerHeaders, { contentType, event: { ...event, externalId } });
      const forwarded = headers.slice(
        0,
        headers.findIndex(([name]) => name === 'webhook-id'),
      );
      for (const [name, value] of forwarded) {
        expect(name.toLowerCase()).not.toMatch(never);
        expect(value).not.toContain(MASKED);
      }
      for (const [name, value] of headers) {
        expect(name).toMatch(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/);
        expect(value).toMatch(/^[\t\x20-\x7e]*$/);
      }
      const names = headers.map(([name]) => name.toLowerCase().replaceAll('_', '-'));
      for (const [name] of ours.slice(1)) expect(names.filter((other) => other === name)).toHaveLength(1);
    }),
  );
});

test('any ordinary header is forwarded once, unchanged', () => {
  const name = fc.stringMatching(/^x-y[a-z0-9]{1,15}$/);
  const value = fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/).filter((text) => !text.includes(MASKED));
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }), anyHeaders, (plain, others) => {
      const hostile = others.filter(
        ([key]) => !key.toLowerCase().startsWith('x-y') && key.toLowerCase() !== 'connection',
      );
      const headers = build([...hostile, ...plain]);
      expect(headers.filter(([key]) => plain.some(([other]) => other === key))).toEqual(plain);
    }),
  );
});

test('a real request can be sent with any resulting headers', async () => {
  const { url, seen } = await consumer((response) => response.end());
  const { post } = sender();
  await fc.assert(
    fc.asyncProperty(anyHeaders, anyValue, async (providerHeaders, externalId) => {
      const headers = build(providerHeaders, { event: { ...event, externalId } });
      expect(await post(hook(url, { headers }))).toMatchObject({ outcome: 'delivered', error: null });
      const raw = seen.at(-1)?.rawHeaders ?? [];
      const arrived = headers.map((_, index) => [raw[2 * index + 4], raw[2 * index + 5]]);
      // After `host` and `connection`, which undici writes; the reader strips white space around values.
      expect(arrived).toEqual(headers.map(([name, value]) => [name, value.trim()]));
    }),
  );
});
