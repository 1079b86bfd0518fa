import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyHubSignature } from '../../src/providers/hub-signature.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import { requestOf } from './request.ts';

const secret = 'a secret beyond ASCII: ñ密';
const body = '{"greeting":"Zoë 💶"}';
const name = 'x-hub-signature-256';
const right = createHmac('sha256', secret).update(body).digest('hex');
const wrong = '0'.repeat(64);

const verdict = (...headers: Header[]) => verifyHubSignature(requestOf({ headers, body }), secret, name, 'sha256');
const refused = (reason: string) => expect.objectContaining({ ok: false, reason });

describe('accepts', () => {
  test.each<[string, Header[]]>([
    ['the signature', [[name, `sha256=${right}`]]],
    ['another case of the header', [['X-HUB-Signature-256', `sha256=${right}`]]],
    ['digits in upper case', [[name, `sha256=${right.toUpperCase()}`]]],
    [
      'the second of two headers',
      [
        [name, `sha256=${wrong}`],
        [name, `sha256=${right}`],
      ],
    ],
    ['two headers that a proxy merged', [[name, `sha256=${wrong}, sha256=${right}`]]],
    ['a signature next to one of another algorithm', [[name, `sha1=${wrong.slice(24)}, sha256=${right}`]]],
  ])('%s', (_, headers) => expect(verdict(...headers)).toEqual({ ok: true }));
});

describe('refuses', () => {
  test.each<[string, Header[], string]>([
    ['no header', [], 'missing_signature'],
    ['an empty header', [[name, '']], 'missing_signature'],
    ['a header of another name', [['x-hub-signature', `sha256=${right}`]], 'missing_signature'],
    ['no algorithm', [[name, right]], 'malformed_signature'],
    ['another algorithm', [[name, `sha512=${right}`]], 'malformed_signature'],
    ['half a signature', [[name, `sha256=${right.slice(32)}`]], 'malformed_signature'],
    ['one and a half signatures', [[name, `sha256=${right}${right.slice(32)}`]], 'malformed_signature'],
    ['an odd number of digits', [[name, `sha256=${right.slice(1)}`]], 'malformed_signature'],
    ['a signature that is not hexadecimal', [[name, `sha256=${'g'.repeat(64)}`]], 'malformed_signature'],
    [
      'the signature in base64',
      [[name, `sha256=${Buffer.from(right, 'hex').toString('base64')}`]],
      'malformed_signature',
    ],
    [
      'a signature with one wrong bit',
      [[name, `sha256=${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}`]],
      'bad_signature',
    ],
    ['a wrong signature', [[name, `sha256=${wrong}`]], 'bad_signature'],
    ['commas', [[name, ','.repeat(10_000)]], 'malformed_signature'],
  ])('%s', (_, headers, reason) => expect(verdict(...headers)).toEqual(refused(reason)));

  test('very many guesses, even if the last one is right', () => {
    const guesses = Array.from({ length: 1000 }, () => `sha256=${wrong}`);
    expect(verdict([name, [...guesses, `sha256=${right}`].join(',')])).toEqual(refused('bad_signature'));
  });
});
