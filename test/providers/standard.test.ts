import { createHmac, randomBytes } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { type Header, inboundRequest } from '../../src/providers/inbound-request.ts';
import { standard } from '../../src/providers/standard.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { messageOf, received, settingsOf } from '../support/providers/request.ts';
import * as samples from '../support/providers/standard.ts';

// https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/javascript/src/webhook.test.ts ("sign function works")
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const seconds = 1614265330;
const body = '{"test": 2432232314}';
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
// https://github.com/svix/svix-webhooks/blob/main/server/svix-server/src/worker.rs (`test_asymmetric_key_signing`) and
// https://github.com/svix/svix-webhooks/blob/main/server/README.md (its public key)
const publicKey = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=';
const asymmetric = 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==';

type Change = { headers?: Header[]; body?: string | Uint8Array; prefix?: string; at?: number };

function requestOf(
  signatures: string,
  { headers = [], body: sent = body, prefix = 'webhook', at = seconds }: Change = {},
) {
  const own: Header[] = [
    [`${prefix}-id`, id],
    [`${prefix}-timestamp`, String(seconds)],
    [`${prefix}-signature`, signatures],
  ];
  const replaced = new Set(headers.map(([name]) => name.toLowerCase()));
  return inboundRequest({
    rawHeaders: [...own.filter(([name]) => !replaced.has(name)), ...headers].flat(),
    target: '/standard/shop',
    publicUrl: null,
    body: Buffer.from(sent),
    receivedAt: new Date(at * 1000),
  });
}

const verdict = (request: ReturnType<typeof requestOf>, current = secret, previous: string | null = null) =>
  verifyInbound(standard, { skip: false, current, previous, config: { tolerance_seconds: 300 } }, request);
const ok = { ok: true };
const refused = (reason: string) => ({ ok: false, reason });

describe('published vectors', () => {
  test.each(['webhook', 'svix'])('%s-signature, symmetric', (prefix) => {
    expect(verdict(requestOf(signature, { prefix }))).toEqual(ok);
    expect(verdict(requestOf(signature, { prefix, body: `${body} ` }))).toEqual(refused('bad_signature'));
  });

  test('asymmetric', () => {
    expect(verdict(requestOf(asymmetric), publicKey)).toEqual(ok);
    expect(verdict(requestOf(asymmetric, { body: `${body} ` }), publicKey)).toEqual(refused('bad_signature'));
    const zeroes = `whpk_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(verdict(requestOf(asymmetric), zeroes)).toMatchObject({ ok: false });
    expect(verdict(requestOf(asymmetric), zeroes, publicKey)).toEqual(ok);
  });

  test('both in one header, with either kind of key', () => {
    for (const both of [`${signature} ${asymmetric}`, `${asymmetric}  ${signature}`]) {
      expect(verdict(requestOf(both))).toEqual(ok);
      expect(verdict(requestOf(both), publicKey)).toEqual(ok);
    }
  });
});

describe('libraries', () => {
  test.each([
    ['webhook', StandardWebhook],
    ['svix', SvixWebhook],
  ] as const)('%s: the library and the gateway both accept the signature of the sample', (prefix, Library) => {
    const sample = prefix === 'svix' ? samples.svix : samples.standard;
    const key = sample.newKey();
    const now = new Date();
    for (const text of ['{"a":"Zoë 💶"}', '{}', '[1]']) {
      const signed = key.sign(messageOf(sample, { body: text, at: now }));
      if (signed instanceof Promise) throw new Error('these sign at once');
      const headers = Object.fromEntries(signed.headers);
      const ours = (sent: string) =>
        verdict(
          inboundRequest({
            rawHeaders: signed.headers.flat(),
            target: '/',
            publicUrl: null,
            body: Buffer.from(sent),
            receivedAt: now,
          }),
          key.secret,
        ).ok;
      expect(new Library(key.secret).verify(text, headers)).toEqual(JSON.parse(text));
      expect(ours(text)).toBe(true);
      expect(() => new Library(key.secret).verify(`${text} `, headers)).toThrow();
      expect(ours(`${text} `)).toBe(false);
    }
  });
});

describe('signatures', () => {
  const wrong = `v1,${Buffer.alloc(32).toString('base64')}`;
  test.each([
    ['after a wrong signature', `${wrong} ${signature}`, ok],
    ['before a wrong signature', `${signature} ${wrong}`, ok],
    ['after an unknown version', `v2,abc v1b,x ${signature}`, ok],
    ['of another version', signature.replace('v1', 'v2'), refused('malformed_signature')],
    ['without a version', signature.slice(3), refused('malformed_signature')],
    ['in capitals', signature.replace('v1', 'V1'), refused('malformed_signature')],
    ['wrong', wrong, refused('bad_signature')],
    ['too short', 'v1,AAAA', refused('malformed_signature')],
    [
      'of another alphabet',
      `v1,${signature.slice(3).replaceAll('+', '-').replaceAll('/', '_')}`,
      refused('malformed_signature'),
    ],
    ['empty', '', refused('missing_signature')],
    ['only spaces', '   ', refused('missing_signature')],
    ['only the version', 'v1,', refused('missing_signature')],
    ['asymmetric for a shared secret', asymmetric, refused('malformed_signature')],
  ])('%s', (_, signatures, expected) => expect(verdict(requestOf(signatures))).toEqual(expected));

  test.each([
    ['symmetric', signature, refused('malformed_signature')],
    ['too short', 'v1a,AAAA', refused('malformed_signature')],
    ['wrong', `v1a,${randomBytes(64).toString('base64')}`, refused('bad_signature')],
    [
      'the fifth asymmetric signature',
      `${`v1a,${randomBytes(64).toString('base64')} `.repeat(4)}${asymmetric}`,
      refused('bad_signature'),
    ],
  ])('for a public key: %s', (_, signatures, expected) =>
    expect(verdict(requestOf(signatures), publicKey)).toEqual(expected),
  );

  test('header names are accepted in any letter case, and repeated headers are joined', () => {
    const headers: Header[] = [
      ['Webhook-Signature', wrong],
      ['WEBHOOK-SIGNATURE', signature],
    ];
    expect(verdict(requestOf('', { headers }))).toEqual(ok);
  });

  test('the names of the standard and those of Svix are never mixed', () => {
    const ofSvix = requestOf(signature, { prefix: 'svix', headers: [['webhook-id', 'msg_other']] });
    expect(verdict(ofSvix)).toEqual(ok);
    expect(standard.externalId(ofSvix, { tolerance_seconds: 300 })).toEqual({ id, own: true });
    const neither = requestOf(signature, { prefix: 'svix', headers: [['webhook-signature', wrong]] });
    expect(verdict(neither)).toMatchObject({ ok: false });
  });
});

describe('time and id are signed', () => {
  const changed = (headers: Header[]) => verdict(requestOf(signature, { headers }));
  test.each([
    ['another id', [['webhook-id', 'msg_2']], 'bad_signature'],
    ['an empty id', [['webhook-id', '']], 'bad_signature'],
    ['another time', [['webhook-timestamp', String(seconds + 1)]], 'bad_signature'],
    ['a time with a space', [['webhook-timestamp', ` ${seconds}`]], 'bad_signature'],
    ['an empty time', [['webhook-timestamp', '']], 'missing_timestamp'],
  ] as [string, Header[], string][])('%s', (_, headers, reason) => expect(changed(headers)).toEqual(refused(reason)));

  test.each(['x', '1e9', '-1', '9'.repeat(30), '1614265330.5', '0x1'])(
    'the time %s with a right signature is refused',
    (timestamp) => {
      const digest = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`${id}.${timestamp}.${body}`);
      const request = requestOf(`v1,${digest.digest('base64')}`, { headers: [['webhook-timestamp', timestamp]] });
      expect(verdict(request)).toEqual(refused('malformed_timestamp'));
    },
  );

  test('a missing time is refused', () => {
    const request = inboundRequest({
      rawHeaders: ['webhook-id', id, 'webhook-signature', signature],
      target: '/',
      publicUrl: null,
      body: Buffer.from(body),
      receivedAt: new Date(seconds * 1000),
    });
    expect(verdict(request)).toEqual(refused('missing_timestamp'));
  });

  test('a time that is too old or too new is refused, with either secret', () => {
    for (const at of [seconds - 301, seconds + 301]) {
      expect(verdict(requestOf(signature, { at }))).toEqual(refused('stale_timestamp'));
      expect(verdict(requestOf(asymmetric, { at }), publicKey)).toEqual(refused('stale_timestamp'));
      expect(verdict(requestOf('v1,AAAA', { at }))).toEqual(refused('malformed_signature'));
    }
  });

  test('an id beyond ASCII is signed by its bytes', () => {
    const bytes = Buffer.from('msg_é', 'utf8');
    const digest = createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(
      Buffer.concat([bytes, Buffer.from(`.${seconds}.${body}`)]),
    );
    const headers: Header[] = [['webhook-id', bytes.toString('latin1')]];
    expect(verdict(requestOf(`v1,${digest.digest('base64')}`, { headers }))).toEqual(ok);
  });

  test('bodies that are not text are verified', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    const digest = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'));
    digest.update(`${id}.${seconds}.`).update(bytes);
    expect(verdict(requestOf(`v1,${digest.digest('base64')}`, { body: bytes }))).toEqual(ok);
  });
});

describe('the end of the id', () => {
  const key = Buffer.from(secret.slice(6), 'base64');
  const at = seconds + 100_000;
  /** A webhook that was signed at `seconds`, changed to have the time `at`. */
  const moved = (genuine: string, movedId: string, movedBody: string) => {
    const digest = createHmac('sha256', key).update(genuine).digest('base64');
    expect(`${movedId}.${at}.${movedBody}`).toBe(genuine);
    const headers: Header[] = [
      ['webhook-id', movedId],
      ['webhook-timestamp', String(at)],
    ];
    return verdict(requestOf(`v1,${digest}`, { headers, body: movedBody, at }));
  };

  test('cannot be moved to after the time', () => {
    const before = `${id}.${seconds}`;
    expect(moved(`${before}.{"note":"a.${at}.{}`, `${before}.{"note":"a`, '{}')).toEqual(
      refused('malformed_signature'),
    );
    expect(moved(`${before}.a.${at}.{}`, `${before}.a`, '{}')).toEqual(refused('malformed_signature'));
    expect(moved(`${before}.${at}.{}`, before, '{}')).toEqual(refused('malformed_signature'));
  });

  test.each(['a b', 'a"', "a'", 'a{', 'a}', 'a[', 'a\t', 'a.1', '.1', 'a.12345678901.b'])(
    '%j is not a valid id',
    (odd) => {
      const digest = createHmac('sha256', key).update(`${odd}.${seconds}.${body}`).digest('base64');
      expect(verdict(requestOf(`v1,${digest}`, { headers: [['webhook-id', odd]] }))).toEqual(
        refused('malformed_signature'),
      );
    },
  );

  test.each(['evt.order.paid', 'a.b1', 'a.1b', '1.a', '550e8400-e29b-41d4-a716-446655440000', 'é', 'Ã\u00a0', ''])(
    '%j is a valid id',
    (good) => {
      const digest = createHmac('sha256', key)
        .update(Buffer.from(`${good}.${seconds}.${body}`, 'latin1'))
        .digest('base64');
      expect(verdict(requestOf(`v1,${digest}`, { headers: [['webhook-id', good]] }))).toEqual(ok);
    },
  );
});

describe('secrets', () => {
  const keyed = (key: string | Buffer) =>
    requestOf(`v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`);

  test.each([
    ['without its prefix', secret.slice('whsec_'.length), Buffer.from(secret.slice(6), 'base64')],
    ['as Supabase shows it', `v1,${secret}`, Buffer.from(secret.slice(6), 'base64')],
    ['without its padding', `whsec_${Buffer.alloc(32, 1).toString('base64').replace('=', '')}`, Buffer.alloc(32, 1)],
    ['as plain text (Polar)', 'polar_whs_abc', 'polar_whs_abc'],
    ['as plain text that is also base64', 'abcdefgh', 'abcdefgh'],
  ])('%s', (_, current, key) => {
    expect(verdict(keyed(key), current)).toEqual(ok);
    expect(verdict(keyed('another'), current)).toEqual(refused('bad_signature'));
  });

  test('whsec_ with base64 is never used as text', () => {
    expect(verdict(keyed(secret), secret)).toEqual(refused('bad_signature'));
  });

  test.each([
    ['whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==', /public key/],
    ['whpk_', /32 bytes/],
    ['whpk_AAAA', /32 bytes/],
    ['whpk_%', /32 bytes/],
    [` ${publicKey}`, /nothing else/],
    [`"${publicKey}"`, /nothing else/],
    [publicKey.replace('whpk', 'WHPK'), /nothing else/],
    ['-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----', /nothing else/],
    ['whsec_', /16 bytes/],
    ['whsec_\n', /16 bytes/],
    ['whsec_…', /16 bytes/],
    ['whsec_not base64', /16 bytes/],
    [`whsec_${Buffer.alloc(15, 1).toString('base64')}`, /16 bytes/],
    ['v1,', /nothing else/],
    ['v1,whsec_', /16 bytes/],
    [`"${secret}"`, /nothing else/],
    ['two words', /ASCII/],
    ['polar_whs_abc\n', /ASCII/],
    ['geheim-é-密', /ASCII/],
  ])('%s is refused as a secret', (unusable, why) => {
    expect(standard.secret.problem?.(unusable)).toMatch(why);
    // It is not used as text either.
    for (const signed of [requestOf(signature), keyed(unusable), keyed('')])
      expect(verdict(signed, unusable)).toEqual(refused('unusable_secret'));
    expect(verdict(requestOf(signature), unusable, secret)).toEqual(ok);
  });

  test('valid secrets are accepted', () => {
    for (const good of [secret, publicKey, `v1,${secret}`, 'polar_whs_abc'])
      expect(standard.secret.problem?.(good)).toBe(null);
  });
});

test('without an id, an id is generated and nothing is a duplicate', () => {
  const request = received(samples.standard, { headers: [], body: Buffer.from('{"id":"evt_1"}') });
  const { config } = settingsOf(samples.standard, null);
  const external = standard.externalId(request, { tolerance_seconds: 300, ...config });
  expect(external).toMatchObject({ own: false });
  expect(standard.dedupKey(request, external, { tolerance_seconds: 300 })).toBe(null);
});

test('the same id makes a duplicate, with any time and body', () => {
  const config = { tolerance_seconds: 300 };
  const key = (request: ReturnType<typeof requestOf>) =>
    standard.dedupKey(request, standard.externalId(request, config), config);
  expect(key(requestOf(signature))).toEqual(key(requestOf('v1,x', { body: '{}', at: 0 })));
  expect(key(requestOf(signature))).not.toEqual(key(requestOf(signature, { headers: [['webhook-id', 'msg_2']] })));
});
