import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generic } from '../../src/providers/generic.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { providers } from '../../src/providers/registry.ts';
import { storedHeaders } from '../../src/providers/stored-headers.ts';
import { supportChat } from '../../src/providers/support-chat.ts';
import { MASKED } from '../../src/secrets/masked.ts';
import { asSent, requestOf } from './request.ts';

const secrets = { current: 's3cret+/value=', previous: 'older-sécret' };
const stored = (provider: Provider, headers: Header[], query = '') =>
  storedHeaders(provider, requestOf({ headers, query }), secrets);

test('order, letter case and repetition are kept; secrets that the provider compares are masked', () => {
  const headers: Header[] = [
    ['Host', 'hooks.example.com'],
    ['X-Signature', 'wrong'],
    ['x-webhook-SECRET', ''],
    ['X-Api-Key', 'a'],
    ['X-Tag', 'one'],
    ['x-tag', 'two'],
    ['X-Secret', 'b'],
    ['AUTHORIZATION', 'Bearer c'],
    ['X-Original-Url', '/generic/a?key=c'],
  ];
  expect(stored(generic, headers)).toEqual([
    ['Host', 'hooks.example.com'],
    ['X-Signature', MASKED],
    ['x-webhook-SECRET', MASKED],
    ['X-Api-Key', MASKED],
    ['X-Tag', 'one'],
    ['x-tag', 'two'],
    ['X-Secret', MASKED],
    ['AUTHORIZATION', MASKED],
    ['X-Original-Url', `/generic/a?key=${MASKED}`],
  ]);
});

test('credentials and cookies are masked for every provider', () => {
  for (const provider of providers.values()) {
    for (const name of ['Authorization', 'Proxy-Authorization', 'Cookie', 'Set-Cookie']) {
      expect(stored(provider, [[name, 'x']])).toEqual([[name, MASKED]]);
    }
  }
});

describe('key= inside X-Original-Url', () => {
  const m = MASKED;
  test.each([
    ['https://h.example/support_chat/a?key=abc', `https://h.example/support_chat/a?key=${m}`],
    ['/support_chat/a?x=1&key=abc&y=%20+é', `/support_chat/a?x=1&key=${m}&y=%20+é`],
    ['/a?key=one&key=two&key=', `/a?key=${m}&key=${m}&key=${m}`],
    ['/a?%6Bey=one&k%65%79=two', `/a?%6Bey=${m}&k%65%79=${m}`],
    ['/a?%256Bey=one', `/a?%256Bey=${m}`],
    ['/a?KEY=one', `/a?KEY=${m}`],
    ['/a?key=a=b?c;d#e', `/a?key=${m}`],
    ['/a?key%3Dabc', `/a?${m}`],
    ['/a?next=%2Fb%3Fkey%3Dabc%26x', `/a?next=${m}`],
    ['/a?next=/b?key=abc', `/a?next=${m}`],
    ['/a#key=abc', `/a#key=${m}`],
    ['key=abc', `key=${m}`],
    ['/a?monkey=1&keys=2&key2=3', '/a?monkey=1&keys=2&key2=3'],
    ['/a?q=100%&key=abc', `/a?q=100%&key=${m}`],
    ['/a', '/a'],
    ['', ''],
    ['https://[bad?key=abc', m],
    ['/a?ke\ty=abc', m],
  ])('%s', { timeout: 30_000 }, (url, masked) => {
    expect(stored(supportChat, [['X-Original-Url', url]])).toEqual([['X-Original-Url', masked]]);
    expect(stored(supportChat, [['x-forwarded-uri', url]])).toEqual([['x-forwarded-uri', masked]]);
  });
});

describe("the account's secret in any other header", () => {
  test.each([
    ['as the whole value', 's3cret+/value='],
    ['as a part', 'token=s3cret+/value=; v=1'],
    ['percent-encoded', `/x?token=${encodeURIComponent('s3cret+/value=')}`],
    ['percent-encoded in another way', '/x?token=%733cret%2b/value%3d'],
    ['the previous secret as UTF-8', asSent('older-sécret')],
    ['the previous secret as UTF-8 among bytes that are not UTF-8', `\xff ${asSent('older-sécret')}`],
    ['the previous secret as Latin-1', 'older-sécret'],
    ['as a path of a URL without key=', '/a/s3cret+/value=?x=1'],
  ])('%s', { timeout: 30_000 }, (_, value) => {
    for (const name of ['X-Custom', 'X-Original-Url'])
      expect(stored(supportChat, [[name, value]])).toEqual([[name, MASKED]]);
  });

  test('even as the name of a header', () => {
    const own = { current: 'a-secret-name', previous: null };
    expect(storedHeaders(generic, requestOf({ headers: [['x-a-secret-name', '1']] }), own)).toEqual([[MASKED, MASKED]]);
  });

  test('a short secret is masked as a whole value only, not within other text', () => {
    const own = { current: 'abc', previous: '' };
    const headers: Header[] = [
      ['X-Custom', 'abc'],
      ['X-Other', 'abcd'],
      ['X-None', ''],
    ];
    expect(storedHeaders(generic, requestOf({ headers }), own)).toEqual([
      ['X-Custom', MASKED],
      ['X-Other', 'abcd'],
      ['X-None', ''],
    ]);
  });
});

test('an encoded secret is found even if the text before it changes the decoding of its beginning', () => {
  const own = { current: 'A secret value', previous: null };
  const headers: Header[] = [['X-Custom', `%0${encodeURIComponent(own.current)}`]];
  expect(storedHeaders(generic, requestOf({ headers }), own)).toEqual([['X-Custom', MASKED]]);
});

test('stored headers contain no secret, in any place and encoding', () => {
  const secret = fc
    .string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
    .filter((text) => text.length >= 8 && !MASKED.includes(text));
  const ways: ((text: string) => string)[] = [
    (text) => text,
    asSent,
    encodeURIComponent,
    (text) => `Bearer ${asSent(text)}`,
    (text) => `https://h.example/a?x=1&key=${encodeURIComponent(text)}#end`,
    (text) => `https://h.example/a?key=1&token=${encodeURIComponent(text)}`,
    (text) => new URLSearchParams({ a: text }).toString(),
    (text) => `a, ${text}; b`,
  ];
  const name = fc.oneof(
    fc.constantFrom('X-Original-Url', 'Referer', 'X-Secret', 'Authorization', 'Cookie', 'X-Custom', 'User-Agent'),
    fc.string({ minLength: 1 }),
  );
  const sent = fc.array(fc.tuple(name, fc.constantFrom(...ways), fc.string(), fc.boolean()), { minLength: 1 });
  fc.assert(
    fc.property(secret, secret, sent, fc.constantFrom(...providers.values()), (current, previous, list, provider) => {
      const headers = list.map(
        ([header, way, around, old]): Header => [header, around + way(old ? previous : current)],
      );
      const result = storedHeaders(provider, requestOf({ headers }), { current, previous });
      expect(result).toHaveLength(headers.length);
      for (const text of result.flat()) {
        for (const value of [current, previous]) {
          for (const form of [value, asSent(value), encodeURIComponent(value)]) expect(text.includes(form)).toBe(false);
        }
      }
    }),
    { numRuns: 500 },
  );
}, 30_000);
