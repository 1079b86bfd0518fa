import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hmac } from '../../src/providers/hmac.ts';
import { type HmacConfig, hmacConfig } from '../../src/providers/hmac-config.ts';
import type { Header } from '../../src/providers/inbound-request.ts';
import { plainWords } from '../../src/shared/plain-words.ts';
import { configOf, ok, refused, sign, verdict } from './hmac-verdict.ts';
import { asSent, requestOf } from './request.ts';

describe('secrets', () => {
  test.each([
    ['utf8', 'geheim-é', Buffer.from('geheim-é')],
    ['hex', 'DEADbeef', Buffer.from('deadbeef', 'hex')],
    ['base64', '3q2+7w==', Buffer.from('deadbeef', 'hex')],
  ])('%s', (secret_encoding, secret, key) => {
    const signature = createHmac('sha256', key).update('{}').digest('hex');
    expect(verdict({ secret_encoding }, [['X-Signature', signature]], { secret })).toEqual(ok);
  });

  test.each([
    ['hex', 'xyz'],
    ['hex', 'abc'],
    ['base64', 'a!'],
  ])('as %s, %s is not a valid secret', (secret_encoding, secret) =>
    expect(verdict({ secret_encoding }, [['X-Signature', sign('{}')]], { secret })).toEqual(refused('unusable_secret')),
  );
});

describe('provider_config', () => {
  const errors = (config: unknown) =>
    (hmacConfig.safeParse(config, { error: plainWords }).error?.issues ?? []).map(
      ({ path, message }) => `${path.join('.')} ${message}`,
    );
  const header = { header: 'X-Signature' };
  const credentials = 'must not be a header with credentials: its value is stored and shown';

  test('defaults', () => {
    expect(hmacConfig.parse(header)).toEqual({
      header: 'X-Signature',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: '',
      secret_encoding: 'utf8',
      signed: '{body}',
      timestamp_unit: 'seconds',
      tolerance_seconds: 300,
    });
  });

  test.each<[unknown, ...string[]]>([
    [{}, 'header is required'],
    [{ header: '' }, 'header must be a header name: letters, digits, - and _'],
    [{ header: 'X Signature' }, 'header must be a header name: letters, digits, - and _'],
    [{ header: 'X-Signature:' }, 'header must be a header name: letters, digits, - and _'],
    [{ header: 'X\nSignature' }, 'header must be a header name: letters, digits, - and _'],
    [{ ...header, algorithm: 'md5' }, 'algorithm must be one of: sha1, sha256, sha384, sha512'],
    [{ ...header, encoding: 'HEX' }, 'encoding must be one of: hex, base64, base64url'],
    [{ ...header, prefix: 'é' }, 'prefix must be printable ASCII'],
    [{ ...header, tolerance_seconds: 0 }, 'tolerance_seconds must be 1 or more'],
    [
      { ...header, signed: 'body' },
      'signed must contain {body}; without it, a signature that was seen once would be valid for any body',
    ],
    [
      { ...header, signed: '{body}{nonce}' },
      'signed has unknown placeholders: {nonce}; supported are {body}, {timestamp}, {id}, {url}, {path}',
    ],
    [{ ...header, signed: '{timestamp}.{body}' }, 'timestamp_header is required, because signed contains {timestamp}'],
    [
      { ...header, timestamp_header: 'X-Time' },
      'timestamp_header requires {timestamp} in signed, because a time that is not signed can be forged',
    ],
    [{ ...header, signed: '{id}.{body}' }, 'event_id_header is required, because signed contains {id}'],
    [{ ...header, event_type_header: ' ' }, 'event_type_header must be a header name: letters, digits, - and _'],
    [{ ...header, event_type_header: 'Authorization' }, `event_type_header ${credentials}`],
    [{ ...header, event_type_header: 'Set-Cookie' }, `event_type_header ${credentials}`],
    [{ ...header, event_id_header: 'proxy-authorization' }, `event_id_header ${credentials}`],
    [{ ...header, signed: '{timestamp}.{body}', timestamp_header: 'COOKIE' }, `timestamp_header ${credentials}`],
    [{ header: 'Authorization' }],
    [{ ...header, secret: 'x' }, ' unknown fields: ["secret"]'],
  ])('%j', (config, ...expected) => expect(errors(config)).toEqual(expected));
});

describe('event type and id', () => {
  const body = '{"type":"order.paid","id":"ord_1"}';
  const named = configOf({ event_type_header: 'X-Event', event_id_header: 'X-Id' });
  const headers: Header[] = [
    ['x-event', asSent('größe')],
    ['x-id', 'evt_1'],
  ];

  test('are read from headers', () => {
    const request = requestOf({ headers, body });
    expect([hmac.eventType(request, named), hmac.externalId(request, named)]).toEqual([
      'größe',
      { id: 'evt_1', own: true },
    ]);
  });

  test('are read from the payload if no header is configured, or it is absent or empty', () => {
    const inPayload = ['order.paid', { id: 'ord_1', own: true }];
    for (const [config, sent] of [
      [configOf(), headers],
      [named, []],
      [
        named,
        [
          ['x-event', ''],
          ['x-id', ''],
        ],
      ],
    ] as [HmacConfig, Header[]][]) {
      const request = requestOf({ headers: sent, body });
      expect([hmac.eventType(request, config), hmac.externalId(request, config)]).toEqual(inPayload);
    }
  });

  test('are generated if they are nowhere', () => {
    const request = requestOf({ body: 'a=1&type=x', headers: [['Content-Type', 'application/x-www-form-urlencoded']] });
    expect(hmac.eventType(request, named)).toBe(null);
    expect(hmac.externalId(request, named)).toMatchObject({ own: false });
  });

  test('the same id is a duplicate only with the same bytes', () => {
    const key = (text: string) => {
      const request = requestOf({ headers, body: text });
      return hmac.dedupKey(request, hmac.externalId(request, named), named);
    };
    expect(key(body)).toHaveLength(32);
    expect(key(body)).toEqual(key(body));
    expect(key(body)).not.toEqual(key('{}'));
  });
});
