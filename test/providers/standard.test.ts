import { createHmac, randomBytes } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { type Header, inboundRequest } from '../../src/providers/inbound-request.ts';
import { standard } from '../../src/providers/standard.ts';
import { messageOf } from '../support/providers/request.ts';
import * as samples from '../support/providers/standard.ts';
import {
  asymmetric,
  body,
  id,
  ok,
  publicKey,
  refused,
  requestOf,
  seconds,
  secret,
  signature,
  verdict,
} from './standard-request.ts';

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
