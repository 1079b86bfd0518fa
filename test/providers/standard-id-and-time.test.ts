import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Header, inboundRequest } from '../../src/providers/inbound-request.ts';
import { standard } from '../../src/providers/standard.ts';
import { received, settingsOf } from '../support/providers/request.ts';
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
