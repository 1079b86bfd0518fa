import { describe, expect, test } from 'vitest';
import { hmac } from '../../src/providers/hmac.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { configOf, now, ok, refused, sign, verdict } from './hmac-verdict.ts';
import { asSent, receivedAt, requestOf } from './request.ts';

describe('published vectors', () => {
  test('GitHub', () => {
    // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
    const signature = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const config = { header: 'X-Hub-Signature-256', prefix: 'sha256=' };
    const offer = { body: 'Hello, World!', secret: "It's a Secret to Everybody" };
    expect(verdict(config, [['X-Hub-Signature-256', `sha256=${signature}`]], offer)).toEqual(ok);
    expect(verdict(config, [['X-Hub-Signature-256', signature]], offer)).toEqual(refused('malformed_signature'));
  });

  // https://datatracker.ietf.org/doc/html/rfc4231#section-4.3, https://datatracker.ietf.org/doc/html/rfc2202#section-3
  test.each([
    ['sha1', 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79'],
    ['sha256', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
    ['sha384', 'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649'],
    [
      'sha512',
      '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
    ],
  ])('%s', (algorithm, signature) => {
    const offer = { body: 'what do ya want for nothing?', secret: 'Jefe' };
    const bytes = Buffer.from(signature, 'hex');
    const verdictOf = (config: object, value: string) =>
      verdict({ algorithm, ...config }, [['X-Signature', value]], offer);
    expect(verdictOf({}, signature)).toEqual(ok);
    expect(verdictOf({}, signature.toUpperCase())).toEqual(ok);
    expect(verdictOf({ encoding: 'base64' }, bytes.toString('base64'))).toEqual(ok);
    expect(verdictOf({ encoding: 'base64url' }, bytes.toString('base64url'))).toEqual(ok);
    expect(verdictOf({ encoding: 'base64' }, signature)).toMatchObject({ ok: false });
    expect(verdictOf({ algorithm: algorithm === 'sha1' ? 'sha256' : 'sha1' }, signature)).toEqual(
      refused('malformed_signature'),
    );
  });

  test('Standard Webhooks, configured by hand', () => {
    // https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/javascript/src/webhook.test.ts
    const config = {
      header: 'webhook-signature',
      prefix: 'v1,',
      encoding: 'base64',
      secret_encoding: 'base64',
      signed: '{id}.{timestamp}.{body}',
      event_id_header: 'webhook-id',
      timestamp_header: 'webhook-timestamp',
    };
    const headers: Header[] = [
      ['webhook-id', 'msg_p5jXN8AQM9LWM0D4loKWxJek'],
      ['webhook-timestamp', '1614265330'],
      ['webhook-signature', 'v2,x v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    ];
    const settings = {
      skip: false,
      current: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      previous: null,
      config: configOf(config),
    };
    const request = requestOf({ headers, body: '{"test": 2432232314}', at: new Date(1614265330_000) });
    expect(verifyInbound(hmac, settings, request)).toEqual(ok);
  });
});

describe('what is signed', () => {
  test.each([
    ['{body}', '{"é":1}'],
    ['{timestamp}.{body}', `${now}.{"é":1}`],
    ['{timestamp}{body}', `${now}{"é":1}`],
    ['v0:{timestamp}:{body}', `v0:${now}:{"é":1}`],
    ['{body}{body}', '{"é":1}{"é":1}'],
    ['POST\n{path}\n{body}', 'POST\n/provider/slug?a=%20b\n{"é":1}'],
    ['{url}|{body}', 'https://gateway.example/provider/slug?a=%20b|{"é":1}'],
    ['{"id":"{id}","body":{body}}', '{"id":"evt_1","body":{"é":1}}'],
    ['é{BODY}{} {body}', 'é{BODY}{} {"é":1}'],
  ])('%j', (signed, text) => {
    const config = {
      signed,
      ...(signed.includes('{timestamp}') ? { timestamp_header: 'X-Time' } : {}),
      event_id_header: 'X-Id',
    };
    const headers: Header[] = [
      ['X-Time', String(now)],
      ['X-Id', 'evt_1'],
      ['X-Signature', sign(text)],
    ];
    const offer = { body: '{"é":1}', query: 'a=%20b' };
    expect(verdict(config, headers, offer)).toEqual(ok);
    expect(verdict(config, headers, { ...offer, body: '{"è":1}' })).toEqual(refused('bad_signature'));
    const changed = headers.map(([name, value]): Header => [name, name === 'X-Signature' ? value : `${value}0`]);
    const covered = /\{(timestamp|id)\}/.test(signed);
    expect(verdict(config, changed, offer)).toEqual(covered ? refused('bad_signature') : ok);
    const elsewhere = { ...offer, query: 'a=+b' };
    expect(verdict(config, headers, elsewhere)).toEqual(/\{(url|path)\}/.test(signed) ? refused('bad_signature') : ok);
  });

  test('bytes that are not text, in body and headers', () => {
    const body = Buffer.from([0xff, 0, 0xfe]);
    const signed = Buffer.concat([Buffer.from('é.', 'utf8'), body]);
    const headers: Header[] = [
      ['X-Id', asSent('é')],
      ['X-Signature', sign(signed)],
    ];
    expect(verdict({ signed: '{id}.{body}', event_id_header: 'x-id' }, headers, { body })).toEqual(ok);
  });

  test('an empty body', () => expect(verdict({}, [['X-Signature', sign('')]], { body: '' })).toEqual(ok));
});

describe('signatures', () => {
  const good = sign('{}');
  const wrong = sign('x');
  test.each([
    ['one', '', good, ok],
    ['several', '', `${wrong}, ${good}`, ok],
    ['with semicolons', '', `${wrong};${good}`, ok],
    ['after its prefix', 'v1=', `t=1,v1=${wrong},v1=${good},v0=abc`, ok],
    ['after a prefix with a space', 'HMAC-SHA256 ', `HMAC-SHA256 ${good}`, ok],
    ['after a prefix with a comma', 'v1,', `v2,x v1,${wrong} v1,${good}`, ok],
    ['after a prefix that starts with a comma', ', v1=', `t=1, v1=${good}`, ok],
    ['after a prefix of punctuation', '$.(', `$.(${good}`, ok],
    ['after another separator', 'v1=', `t=1|v1=${good}`, ok],
    ['in the middle of another name', 'v1=', `xv1=${good}`, refused('malformed_signature')],
    ['without the prefix', 'v1=', good, refused('malformed_signature')],
    ['after the prefix in other letter case', 'v1=', `V1=${good}`, refused('malformed_signature')],
    ['wrong', '', wrong, refused('bad_signature')],
    ['short', '', good.slice(2), refused('malformed_signature')],
    ['of another alphabet', '', 'ß'.repeat(64), refused('malformed_signature')],
    ['empty', '', '', refused('missing_signature')],
    ['only a prefix', 'v1=', 'v1=', refused('malformed_signature')],
    ['only separators', '', ' ,; ', refused('malformed_signature')],
  ])('%s', (_, prefix, value, expected) => expect(verdict({ prefix }, [['x-SIGNATURE', value]])).toEqual(expected));

  test('that contain the prefix themselves, at each position', () => {
    const bodies = Array.from({ length: 500 }, (_, n) => `{"n":${n}}`);
    const held = bodies.filter((body) => sign(body, 'base64').includes('v1'));
    expect(held).not.toEqual([]);
    for (const body of bodies)
      for (const value of [`v1${sign(body, 'base64')}`, `v1${sign('x', 'base64')}, v1${sign(body, 'base64')}`])
        expect(verdict({ prefix: 'v1', encoding: 'base64' }, [['X-Signature', value]], { body })).toEqual(ok);
  });

  test('in a repeated header, and in another header', () => {
    expect(
      verdict({}, [
        ['X-Signature', wrong],
        ['X-Signature', good],
      ]),
    ).toEqual(ok);
    expect(verdict({}, [['X-Other', good]])).toEqual(refused('missing_signature'));
  });
});

describe('time', () => {
  const config = { signed: '{timestamp}.{body}', timestamp_header: 'X-Time' };
  const at = (time: string, more: object = {}) =>
    verdict({ ...config, ...more }, [
      ['X-Time', time],
      ['X-Signature', sign(`${time}.{}`)],
    ]);
  const ms = { timestamp_unit: 'milliseconds' };

  test.each([
    [String(now), {}, ok],
    [String(now - 299), {}, ok],
    [String(now - 301), {}, refused('stale_timestamp')],
    [String(now + 302), {}, refused('stale_timestamp')],
    [String(now - 301), { tolerance_seconds: 600 }, ok],
    [String(receivedAt.getTime()), {}, refused('malformed_timestamp')],
    [String(receivedAt.getTime()), ms, ok],
    [String(receivedAt.getTime() - 302_000), ms, refused('stale_timestamp')],
    [String(now), ms, refused('stale_timestamp')],
    ['12', ms, refused('stale_timestamp')],
    ['', {}, refused('missing_timestamp')],
    ['2026-03-01T12:00:00Z', {}, refused('malformed_timestamp')],
    ['9'.repeat(40), {}, refused('malformed_timestamp')],
    ['9'.repeat(40), ms, refused('malformed_timestamp')],
  ])('%s %j', (time, more, expected) => expect(at(time, more)).toEqual(expected));

  test('a missing time is refused', () =>
    expect(verdict(config, [['X-Signature', sign('.{}')]])).toEqual(refused('missing_timestamp')));

  test('the signature is checked before the time', () => {
    const headers: Header[] = [
      ['X-Time', '1'],
      ['X-Signature', sign('x')],
    ];
    expect(verdict(config, headers)).toEqual(refused('bad_signature'));
  });
});

describe('the end of a signed id', () => {
  const later = now + 50;
  test.each([
    ['{id}.{timestamp}.{body}', `.${now}.`, 'seconds', later],
    ['{id}:{timestamp}:{body}', `:${now}:`, 'seconds', later],
    ['v0-{id}-{timestamp}-{body}', `-${now}-`, 'seconds', later],
    ['{id}|{timestamp}|{body}', `|${now}000|`, 'milliseconds', later * 1000],
  ] as const)('%s: cannot be moved to after the time', (signed, time, timestamp_unit, at) => {
    const config = { signed, timestamp_header: 'X-Time', timestamp_unit, event_id_header: 'X-Id' };
    const moved = (id: string) => {
      const text = signed.replace('{id}', id).replace('{timestamp}', String(at)).replace('{body}', '{}');
      return verdict(config, [
        ['X-Id', id],
        ['X-Time', String(at)],
        ['X-Signature', sign(text)],
      ]);
    };
    expect(moved('evt_1')).toEqual(ok);
    expect(moved('c1b56f27-4a3c-4471-9023-123456789012')).toEqual(ok);
    expect(moved(`evt_1${time}a`)).toEqual(refused('malformed_signature'));
    expect(moved(`evt_1${time.replace(/\D$/, '')}`)).toEqual(refused('malformed_signature'));
  });

  test('a number is a valid id if it directly precedes the time', () => {
    const config = { signed: '{id}{timestamp}{body}', timestamp_header: 'X-Time', event_id_header: 'X-Id' };
    const headers: Header[] = [
      ['X-Id', '120210813281726464'],
      ['X-Time', String(now)],
      ['X-Signature', sign(`120210813281726464${now}{}`)],
    ];
    expect(verdict(config, headers)).toEqual(ok);
  });

  test.each(['{"a', 'a b', "a'", 'a]'])('%j is not a valid signed id', (id) => {
    const headers: Header[] = [
      ['X-Id', id],
      ['X-Signature', sign(`${id}.{}`)],
    ];
    expect(verdict({ signed: '{id}.{body}', event_id_header: 'X-Id' }, headers)).toEqual(
      refused('malformed_signature'),
    );
    const unsigned: Header[] = [
      ['X-Id', id],
      ['X-Signature', sign('{}')],
    ];
    expect(verdict({ event_id_header: 'X-Id' }, unsigned)).toEqual(ok);
  });
});
