import { createHash, generateKeyPairSync } from 'node:crypto';
import { verifySignature } from '@vonage/jwt';
import jwt from 'jsonwebtoken';
import { describe, expect, test } from 'vitest';
import type { Header } from '../../src/providers/inbound-request.ts';
import { readProviderConfig } from '../../src/providers/registry.ts';
import { storedHeaders } from '../../src/providers/stored-headers.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { vonage } from '../../src/providers/vonage.ts';
import { claimsFor, vonage as sample, token } from '../support/providers/vonage.ts';
import { receivedAt, requestOf } from './request.ts';

const secret = 'a-signature-secret-of-at-least-32-bits';
const body = '{"message_uuid":"m1","status":"delivered"}';
const ok = { ok: true };
const refused = (reason: string) => expect.objectContaining({ ok: false, reason });
const claims = claimsFor(Buffer.from(body), receivedAt);

const verdict = (headers: Header[], config: object = {}, sent = body, current = secret) =>
  verifyInbound(
    vonage,
    { skip: false, current, previous: null, config: readProviderConfig('vonage', config) },
    requestOf({ headers, body: sent }),
  );
const bearer = (value: string): Header[] => [['Authorization', `Bearer ${value}`]];

describe('signature', () => {
  test.each([
    ['JSON', body],
    ['JSON beyond ASCII', '{"text":"Zoë 💶"}'],
    ['a form', 'a=1&b=%C3%A9'],
    ['nothing', ''],
  ])("agrees with Vonage's library about %s", async (_, sent) => {
    const key = sample.newKey();
    const { headers } = await key.sign({ body: Buffer.from(sent), at: receivedAt, url: 'https://gateway.example/' });
    const offered = headers[0]?.[1].replace('Bearer ', '') ?? '';
    for (const current of [key.secret, sample.newKey().secret]) {
      const valid = verifySignature(offered, current);
      expect(valid).toBe(current === key.secret);
      expect(verdict(headers, {}, sent, current)).toEqual(valid ? ok : refused('bad_signature'));
    }
    // Vonage's library does not compare `payload_hash`.
    expect(verdict(headers, {}, `${sent} `, key.secret)).toEqual(refused('bad_signature'));
  });

  test('verifies with the documented claims, and the hash in either letter case', () => {
    expect(verdict(bearer(token(secret, claims)))).toEqual(ok);
    expect(verdict(bearer(token(secret, { ...claims, payload_hash: claims.payload_hash.toUpperCase() })))).toEqual(ok);
    expect(verdict([['authorization', `bearer   ${token(secret, claims)} `]])).toEqual(ok);
  });

  test.each([
    ['no header', []],
    ['an empty header', [['Authorization', '']]],
    ['another scheme', [['Authorization', 'Basic dTpw']]],
    ['no token', [['Authorization', 'Bearer  ']]],
  ] satisfies [string, Header[]][])('%s', (_, headers) =>
    expect(verdict(headers)).toEqual(refused('missing_signature')),
  );

  test.each([
    ['a text that is not a JWT', 'abc'],
    ['two parts', 'a.b'],
    ['a header that is not JSON', `${Buffer.from('x').toString('base64url')}.e30.AA`],
    ['a header that is null', `${Buffer.from('null').toString('base64url')}.e30.AA`],
    ['claims that are not an object', jwt.sign('text', secret)],
    ['no signature', `${token(secret, claims).split('.').slice(0, 2).join('.')}.`],
    ['the algorithm none', jwt.sign(claims, '', { algorithm: 'none' })],
    ['HS512', jwt.sign(claims, secret, { algorithm: 'HS512' })],
    ['an algorithm that is not a text', token(secret, claims, { alg: ['HS256'], typ: 'JWT' })],
  ])('%s', (_, value) => expect(verdict(bearer(value))).toEqual(refused('malformed_signature')));

  test('a token with RS256 is refused, even if the secret is its public key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const byOwner = jwt.sign(claims, privateKey, { algorithm: 'RS256' });
    expect(verdict(bearer(byOwner), {}, body, pem)).toEqual(refused('malformed_signature'));
    expect(verdict(bearer(token(pem, claims)), {}, body, pem)).toEqual(ok);
  });

  test.each([
    ['missing', undefined, 'malformed_signature'],
    ['a number', 1, 'malformed_signature'],
    ['empty', '', 'malformed_signature'],
    ['another one', createHash('sha256').update('x').digest('hex'), 'bad_signature'],
    ['too short', 'x', 'bad_signature'],
  ])('payload_hash: %s', (_, payload_hash, reason) => {
    expect(verdict(bearer(token(secret, { ...claims, payload_hash })))).toEqual(refused(reason));
    expect(verdict(bearer(token('other', { ...claims, payload_hash })))).toEqual(refused('bad_signature'));
  });

  test.each<[string, unknown, string]>([
    ['none', undefined, 'missing_timestamp'],
    ['text', 'soon', 'malformed_timestamp'],
    ['null', null, 'malformed_timestamp'],
    ['a fraction', claims.iat + 0.5, 'malformed_timestamp'],
    ['milliseconds', claims.iat * 1000, 'malformed_timestamp'],
    ['huge', 1e300, 'malformed_timestamp'],
    ['negative', -1, 'malformed_timestamp'],
    ['1970', 0, 'stale_timestamp'],
  ])('iat: %s', (_, iat, reason) =>
    expect(verdict(bearer(token(secret, { ...claims, iat })))).toEqual(refused(reason)),
  );

  test('an expired token and one that is not valid yet are stale; a wrong signature is bad_signature', () => {
    for (const more of [{ exp: claims.iat + 900 }, { exp: claims.iat - 299 }, { nbf: claims.iat + 299 }])
      expect(verdict(bearer(token(secret, { ...claims, ...more })))).toEqual(ok);
    for (const more of [{ exp: claims.iat - 301 }, { nbf: claims.iat + 301 }]) {
      expect(verdict(bearer(token(secret, { ...claims, ...more })))).toEqual(refused('stale_timestamp'));
      expect(verdict(bearer(token('other', { ...claims, ...more })))).toEqual(refused('bad_signature'));
    }
    expect(verdict(bearer(token('other', { ...claims, iat: 0 })))).toEqual(refused('bad_signature'));
  });

  test('a token of another application is refused if application_id is configured', () => {
    const { application_id } = claims;
    expect(verdict(bearer(token(secret, claims)), { application_id })).toEqual(ok);
    expect(verdict(bearer(token(secret, claims)), { application_id: 'another' })).toEqual(refused('bad_signature'));
    const { application_id: _, ...without } = claims;
    expect(verdict(bearer(token(secret, without)), { application_id })).toEqual(refused('bad_signature'));
  });

  test('the token is not stored', () => {
    const request = requestOf({ headers: bearer(token(secret, claims)), body });
    expect(storedHeaders(vonage, request, { current: secret, previous: null })).toEqual([
      ['Authorization', '[masked]'],
    ]);
  });
});

const message = { channel: 'sms', to: '447700900000', from: '447700900001', message_uuid: 'm1' };
const call = { from: '447700900000', to: '447700900001', uuid: 'u1', conversation_uuid: 'CON-1' };
test.each<[string, object, string | null, string | null]>([
  ['an inbound message', { ...message, message_type: 'text', text: 'Hi' }, 'message.received', 'm1'],
  ['a message status', { ...message, status: 'delivered', timestamp: 't' }, 'message.delivered', 'm1'],
  ['a call', { ...call, status: 'answered' }, 'call.answered', 'u1'],
  ['an inbound call that expects instructions', call, null, 'u1'],
  [
    'a recording',
    { recording_uuid: 'r1', conversation_uuid: 'CON-1', recording_url: 'https://x' },
    'call.recording',
    'r1',
  ],
  ['input', { ...call, dtmf: { digits: '1', timed_out: false } }, 'call.input', 'u1'],
  ['speech', { ...call, speech: { results: [] } }, 'call.input', 'u1'],
  [
    'a transfer',
    { conversation_uuid_from: 'CON-1', conversation_uuid_to: 'CON-2', uuid: 'u1', type: 'transfer' },
    'call.transfer',
    'u1',
  ],
  [
    'a verification',
    { request_id: 'q1', type: 'summary', status: 'completed', channel: 'sms' },
    'verify.summary',
    'q1',
  ],
  [
    'an event of a conversation',
    { type: 'member:joined', conversation_id: 'CON-1', id: 7, body: {} },
    'member:joined',
    'CON-1:7',
  ],
  ['video', { event: 'streamCreated', sessionId: 's1', timestamp: 1 }, 'streamCreated', null],
  ['inherited names', JSON.parse('{"__proto__":{"message_uuid":"m1","status":"x"}}'), null, null],
  ['no object', ['x'], null, null],
])('%s', (_, payload, type, id) => {
  const request = requestOf({ body: JSON.stringify(payload) });
  expect(vonage.eventType(request, { tolerance_seconds: 300 })).toBe(type);
  expect(vonage.externalId(request, { tolerance_seconds: 300 })).toEqual(
    id === null ? { id: expect.stringMatching(/^gen-/), own: false } : { id, own: true },
  );
});

test('each state of a message is a different event', () => {
  const key = (status: string) => {
    const request = requestOf({ body: JSON.stringify({ ...message, status }) });
    const config = { tolerance_seconds: 300 };
    return Buffer.from(vonage.dedupKey(request, vonage.externalId(request, config), config) ?? []).toString('hex');
  };
  expect(key('delivered')).toBe(key('delivered'));
  expect(key('delivered')).not.toBe(key('read'));
});
