import { describe, expect, test } from 'vitest';
import { generic } from '../../src/providers/generic.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import type { RejectionReason, Verification, VerificationSettings } from '../../src/providers/provider.ts';
import { providerNames, providers } from '../../src/providers/registry.ts';
import { supportChat } from '../../src/providers/support-chat.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { asSent, requestOf } from './request.ts';

const settings = (change: Partial<VerificationSettings> = {}): VerificationSettings => ({
  skip: false,
  current: 'new-secret',
  previous: 'old-secret',
  config: {},
  ...change,
});

type Offer = { headers?: Header[]; query?: string };
const genericVerdict = (offer: Offer, change?: Partial<VerificationSettings>) =>
  verifyInbound(generic, settings(change), requestOf(offer));
const passed: Verification = { ok: true };
const refused = (reason: RejectionReason): Verification => ({ ok: false, reason });

describe('generic', () => {
  const accepted: [string, Offer][] = [
    ...['x-webhook-secret', 'X-API-Key', 'x-Secret', 'X-SIGNATURE'].map((name): [string, Offer] => [
      name,
      { headers: [[name, 'new-secret']] },
    ]),
    ['bearer token', { headers: [['Authorization', 'Bearer new-secret']] }],
    ['bearer in any case', { headers: [['authorization', 'bEARER new-secret']] }],
    ['bearer and many spaces', { headers: [['Authorization', 'BEARER    new-secret']] }],
    ['?key=', { query: 'key=new-secret' }],
    ['?key= after another parameter', { query: '?a=1&key=new-secret' }],
    ['percent-encoded', { query: 'k%65y=new%2dsecret' }],
    ['the second ?key=', { query: 'key=wrong&key=new-secret' }],
    ['the previous secret', { headers: [['x-secret', 'old-secret']] }],
    ['the previous secret in the query', { query: 'key=old-secret' }],
    [
      'a repeated header',
      {
        headers: [
          ['X-Secret', 'wrong'],
          ['x-secret', ''],
          ['x-secret', 'new-secret'],
        ],
      },
    ],
    [
      'a repeated Authorization',
      {
        headers: [
          ['Authorization', 'Basic eDp5'],
          ['Authorization', 'Bearer new-secret'],
        ],
      },
    ],
    [
      'a wrong first header',
      {
        headers: [
          ['x-webhook-secret', 'wrong'],
          ['x-signature', 'new-secret'],
        ],
      },
    ],
    [
      'wrong headers, right token',
      {
        headers: [
          ['x-api-key', 'wrong'],
          ['Authorization', 'Bearer new-secret'],
        ],
      },
    ],
    ['wrong headers, right key', { headers: [['Authorization', 'Bearer wrong']], query: 'key=new-secret' }],
    [
      'a right first header, wrong others',
      {
        headers: [
          ['x-webhook-secret', 'new-secret'],
          ['x-secret', 'wrong'],
        ],
      },
    ],
  ];
  test.each(accepted)('accepts: %s', (_, offer) => expect(genericVerdict(offer)).toEqual(passed));

  const rejected: [string, Offer, RejectionReason][] = [
    ['nothing', {}, 'missing_signature'],
    [
      'empty values',
      {
        headers: [
          ['x-secret', ''],
          ['Authorization', 'Bearer '],
        ],
        query: 'key=',
      },
      'missing_signature',
    ],
    ['another scheme', { headers: [['Authorization', 'Basic new-secret']] }, 'missing_signature'],
    ['no scheme', { headers: [['Authorization', 'new-secret']] }, 'missing_signature'],
    ['another parameter', { query: 'Key=new-secret&secret=new-secret' }, 'missing_signature'],
    ['another header', { headers: [['x-hub-signature', 'new-secret']] }, 'missing_signature'],
    ['a wrong value', { headers: [['x-secret', 'wrong']] }, 'bad_signature'],
    ['another case', { headers: [['x-secret', 'NEW-SECRET']] }, 'bad_signature'],
    ['a prefix', { headers: [['x-secret', 'new-secre']] }, 'bad_signature'],
    ['the secret and one more character', { headers: [['x-secret', 'new-secret!']] }, 'bad_signature'],
    ['both secrets in one value', { headers: [['x-secret', 'new-secret, old-secret']] }, 'bad_signature'],
    ['a scheme in a plain header', { headers: [['x-secret', 'Bearer new-secret']] }, 'bad_signature'],
    ['a huge value', { headers: [['x-secret', 'x'.repeat(1_000_000)]] }, 'bad_signature'],
    ['beyond ASCII', { headers: [['x-secret', asSent('ñew-secret')]], query: 'key=%ff' }, 'bad_signature'],
  ];
  test.each(rejected)('refuses: %s', (_, offer, reason) => expect(genericVerdict(offer)).toEqual(refused(reason)));

  test('a secret beyond ASCII matches as UTF-8, as Latin-1 and in the query', () => {
    const own = { current: 'gehéim-密', previous: 'gehéim' };
    expect(genericVerdict({ headers: [['x-secret', asSent('gehéim-密')]] }, own)).toEqual(passed);
    expect(genericVerdict({ headers: [['Authorization', `Bearer ${asSent('gehéim-密')}`]] }, own)).toEqual(passed);
    expect(genericVerdict({ headers: [['x-secret', 'gehéim']] }, own)).toEqual(passed);
    expect(genericVerdict({ query: `key=${encodeURIComponent('gehéim-密')}` }, own)).toEqual(passed);
  });

  test('up to 64 values are compared, more are refused', () => {
    const wrong = (count: number) => Array.from({ length: count }, (): Header => ['x-webhook-secret', 'wrong']);
    const right: Header = ['x-signature', 'new-secret'];
    expect(genericVerdict({ headers: [...wrong(63), right] })).toEqual(passed);
    expect(genericVerdict({ headers: [...wrong(64), right] })).toEqual(refused('bad_signature'));
  });

  test('a plus in the query matches both a plus and a space', () => {
    expect(genericVerdict({ query: 'key=a+b/c==' }, { current: 'a+b/c==' })).toEqual(passed);
    expect(genericVerdict({ query: 'key=a%2Bb' }, { current: 'a+b' })).toEqual(passed);
    expect(genericVerdict({ query: 'key=a+b' }, { current: 'a b' })).toEqual(passed);
    expect(genericVerdict({ query: 'x=1+1&key=a+b' }, { current: 'a+c' })).toEqual(refused('bad_signature'));
  });
});

describe('support_chat', () => {
  const url: Header = ['X-Original-Url', 'https://hooks.example.com/support_chat/main?key=anything'];
  const cases: [string, Offer, Verification][] = [
    ['the key and the header', { headers: [url], query: 'key=new-secret' }, passed],
    ['the previous key', { headers: [url], query: 'key=old-secret' }, passed],
    ['no header', { query: 'key=new-secret' }, refused('missing_original_url')],
    [
      'an empty header',
      { headers: [['X-Original-Url', ' ']], query: 'key=new-secret' },
      refused('missing_original_url'),
    ],
    ['no key', { headers: [url] }, refused('missing_signature')],
    ['an empty key', { headers: [url], query: 'key=' }, refused('missing_signature')],
    ['a wrong key', { headers: [url], query: 'key=new-secret2' }, refused('bad_signature')],
    [
      'the key in the header only',
      { headers: [['X-Original-Url', 'https://x.example/?key=new-secret']] },
      refused('missing_signature'),
    ],
    ['the secret in a header', { headers: [url, ['x-webhook-secret', 'new-secret']] }, refused('missing_signature')],
  ];
  test.each(cases)('%s', (_, offer, verdict) =>
    expect(verifyInbound(supportChat, settings(), requestOf(offer))).toEqual(verdict),
  );
});

describe('secrets of an account', () => {
  const offer: Offer = { headers: [['x-secret', 'old-secret']] };

  test('only the current secret is set', () => {
    expect(genericVerdict(offer, { current: 'old-secret', previous: null })).toEqual(passed);
    expect(genericVerdict(offer, { previous: null })).toEqual(refused('bad_signature'));
    expect(genericVerdict(offer, { previous: '' })).toEqual(refused('bad_signature'));
  });

  test('only the previous secret is set', () => {
    expect(genericVerdict(offer, { current: null })).toEqual(passed);
    expect(genericVerdict(offer, { current: '' })).toEqual(passed);
  });

  test.each([null, ''])('%j rejects every webhook', (none) => {
    const nobody = { current: none, previous: none };
    for (const provider of providers.values()) {
      const request = requestOf({
        headers: [
          ['x-secret', ''],
          ['X-Original-Url', '/'],
        ],
        query: 'key=',
      });
      expect(verifyInbound(provider, settings(nobody), request)).toEqual(refused('no_secret_configured'));
    }
    expect(genericVerdict({ headers: [['x-secret', 'null']] }, nobody)).toEqual(refused('no_secret_configured'));
  });

  test('with skip_signature_verification every webhook of a known provider is accepted', () => {
    for (const provider of providers.values()) {
      expect(verifyInbound(provider, settings({ skip: true, current: null }), requestOf({}))).toEqual(passed);
    }
    expect(verifyInbound(undefined, settings({ skip: true }), requestOf({}))).toEqual(refused('unknown_provider'));
  });
});

test('the registry finds its providers by name, and no inherited properties', () => {
  expect(providerNames.slice(0, 2)).toEqual(['generic', 'support_chat']);
  expect(new Set(providerNames).size).toBe(providerNames.length);
  for (const [name, provider] of providers) expect(provider.name).toBe(name);
  for (const name of ['constructor', '__proto__', 'Generic', '']) {
    expect(verifyInbound(providers.get(name), settings(), requestOf({ query: 'key=new-secret' })).ok).toBe(false);
  }
});
