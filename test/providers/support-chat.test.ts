import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { supportChat } from '../../src/providers/support-chat.ts';
import { fixture, requestOf } from './request.ts';

const generated = expect.stringMatching(/^gen-1772366400123-[0-9a-f]{16}$/);
const session = 'session_0f6d3a52-9c1e-4b7a-8a44-2f8c1d90be17';

test.each([
  ['message-send.json', 'chat.message', `${session}:176520841234517`],
  ['message-received.json', 'chat.message_received', `${session}:176520846700288`],
  ['session-set-email.json', 'chat.email_set', `${session}:session:set_email:1765208431770`],
])('fixture %s', (file, type, id) => {
  const request = requestOf({ body: fixture(`support_chat/${file}`) });
  expect(supportChat.eventType(request, {})).toBe(type);
  expect(supportChat.externalId(request, {})).toEqual({ id, own: true });
});

describe('event type', () => {
  test.each([
    ['{"event":"message:updated"}', 'message:updated'],
    ['{"event":"constructor"}', 'constructor'],
    ['{"event":"Message:Send"}', 'Message:Send'],
    ['{"event":"a\\u0000"}', 'a\ufffd'],
    ['{"type":"message:send"}', null],
    ['{"event":1}', null],
    ['[]', null],
    ['', null],
  ])('%s is %s', (body, type) => expect(supportChat.eventType(requestOf({ body }), {})).toBe(type));
});

describe('external id', () => {
  const e = 'session:set_email';
  const cases: [string, unknown, unknown][] = [
    ['a text as fingerprint', { data: { session_id: 's', fingerprint: 'f' } }, 's:f'],
    [
      'a fingerprint before event and timestamp',
      { event: e, timestamp: 1, data: { session_id: 's', fingerprint: 7 } },
      's:7',
    ],
    ['fingerprint 0', { data: { session_id: 's', fingerprint: 0 } }, 's:0'],
    ['an empty fingerprint', { event: e, timestamp: 1, data: { session_id: 's', fingerprint: '' } }, `s:${e}:1`],
    ['a null fingerprint', { event: e, timestamp: '1', data: { session_id: 's', fingerprint: null } }, `s:${e}:1`],
    ['a session id that is a number', { data: { session_id: 5, fingerprint: 6 } }, '5:6'],
    ['a timestamp in data only', { event: e, data: { session_id: 's', timestamp: 1 } }, generated],
    ['no timestamp', { event: e, data: { session_id: 's' } }, generated],
    ['no event', { timestamp: 1, data: { session_id: 's' } }, generated],
    ['no session', { event: e, timestamp: 1, data: { fingerprint: 7 } }, generated],
    ['an empty session', { event: e, timestamp: 1, data: { session_id: '', fingerprint: 7 } }, generated],
    ['a session id at the top level', { session_id: 's', fingerprint: 7, event: e, timestamp: 1 }, generated],
    ['data that is a list', { event: e, timestamp: 1, data: [{ session_id: 's' }] }, generated],
    ['no data', { event: e, timestamp: 1 }, generated],
    ['a list', [{ data: { session_id: 's', fingerprint: 7 } }], generated],
    ['long parts', { data: { session_id: 's'.repeat(300), fingerprint: 7 } }, 's'.repeat(255)],
  ];
  test.each(cases)('%s', (_, payload, id) => {
    const external = supportChat.externalId(requestOf({ body: JSON.stringify(payload) }), {});
    expect(external).toEqual({ id, own: id !== generated });
  });

  test('digits beyond the precision of JavaScript numbers are kept', () => {
    const body =
      '{"fingerprint":1,"data":{"session_id":"s","user":{"fingerprint":2},"fingerprint":17652084123451700001}}';
    expect(supportChat.externalId(requestOf({ body }), {}).id).toBe('s:17652084123451700001');
  });

  test('any bytes have an id that PostgreSQL can store', () => {
    const part = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.jsonValue());
    const payload = fc.record(
      { event: part, timestamp: part, data: fc.record({ session_id: part, fingerprint: part }, { requiredKeys: [] }) },
      { requiredKeys: [] },
    );
    const bodies = fc.oneof(
      payload.map((value) => Buffer.from(JSON.stringify(value))),
      fc.uint8Array(),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        const { id } = supportChat.externalId(requestOf({ body }), {});
        const length = Array.from(id).length;
        expect(length >= 1 && length <= 255 && id.isWellFormed() && !id.includes('\0')).toBe(true);
      }),
    );
  });
});
