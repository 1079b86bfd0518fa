import { describe, expect, test } from 'vitest';
import type { Header } from '../../src/providers/inbound-request.ts';
import { intercom } from '../../src/providers/intercom.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { intercom as sample } from '../support/providers/intercom.ts';
import { settingsOf } from '../support/providers/request.ts';
import { requestOf } from './request.ts';

describe('signature', () => {
  // printf '{"topic":"ping","name":"Zoë"}' | openssl dgst -sha1 -hmac hush
  const body = '{"topic":"ping","name":"Zoë"}';
  const known = 'bf6894dbd58e88d430009299d5064ced92cd19d6';

  test.each<[string, Header[], string | null]>([
    ['a signature computed by OpenSSL', [['X-Hub-Signature', `sha1=${known}`]], null],
    ['none', [], 'missing_signature'],
    ['under another name', [['X-Hub-Signature-256', `sha1=${known}`]], 'missing_signature'],
    ['without its algorithm', [['X-Hub-Signature', known]], 'malformed_signature'],
    ['of the length of SHA-256', [['X-Hub-Signature', `sha1=${known}${'0'.repeat(24)}`]], 'malformed_signature'],
    ['a wrong signature', [['X-Hub-Signature', `sha1=${'0'.repeat(40)}`]], 'bad_signature'],
  ])('%s', (_, headers, reason) => {
    const verdict = (current: string, previous: string | null = null) =>
      verifyInbound(intercom, settingsOf(sample, current, previous), requestOf({ headers, body }));
    const expected = reason === null ? { ok: true } : { ok: false, reason };
    expect(verdict('hush')).toEqual(expected);
    expect(verdict('new', 'hush')).toEqual(expected);
    expect(verdict('new').ok).toBe(false);
  });
});

const read = (body: string) => {
  const request = requestOf({ body });
  const externalId = intercom.externalId(request, {});
  return { type: intercom.eventType(request, {}), id: externalId, key: intercom.dedupKey(request, externalId, {}) };
};

test.each([
  ['{"topic":"conversation.admin.replied","id":"notif_1"}', 'conversation.admin.replied', { id: 'notif_1', own: true }],
  ['{"topic":"ping","id":null}', 'ping', { id: expect.stringMatching(/^gen-/), own: false }],
  ['{"topic":7,"id":""}', null, { id: expect.stringMatching(/^gen-/), own: false }],
  ['{"__proto__":{"topic":"x","id":"y"}}', null, { id: expect.stringMatching(/^gen-/), own: false }],
  ['', null, { id: expect.stringMatching(/^gen-/), own: false }],
])('%s', (body, type, id) => expect(read(body)).toMatchObject({ type, id }));

test('a resend is a duplicate although its attempt count differs', () => {
  const attempt = (id: string, count: number) => read(`{"id":"${id}","delivery_attempts":${count}}`).key;
  expect(attempt('notif_1', 1)).toHaveLength(32);
  expect(attempt('notif_1', 2)).toEqual(attempt('notif_1', 1));
  expect(attempt('notif_2', 1)).not.toEqual(attempt('notif_1', 1));
  expect(read('{"topic":"ping","id":null}').key).toBe(null);
});

test('the HEAD request that validates the address gets an answer', () => {
  expect(intercom.handshake?.(requestOf({}), {})).toEqual({
    ok: true,
    answer: { status: 200, contentType: 'text/plain; charset=utf-8', body: '' },
  });
});
