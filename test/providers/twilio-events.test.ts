import { hash } from 'node:crypto';
import twilioLibrary from 'twilio';
import { describe, expect, test } from 'vitest';
import type { Header } from '../../src/providers/inbound-request.ts';
import { twilio } from '../../src/providers/twilio.ts';
import { formType, ok, requestTo, signedWith, verify } from './twilio-request.ts';

const { getExpectedTwilioSignature } = twilioLibrary;

describe('type and id', () => {
  const sms = { AccountSid: 'AC1', MessageSid: 'SM1', SmsSid: 'SM1' };
  test.each<[string, Record<string, string>, string | null, string | null]>([
    [
      'an inbound message',
      { ...sms, SmsMessageSid: 'SM1', SmsStatus: 'received', Body: 'Hi' },
      'message.received',
      'SM1',
    ],
    ['a status callback', { ...sms, MessageStatus: 'undelivered', SmsStatus: 'sent' }, 'message.undelivered', 'SM1'],
    ['an old status callback', { SmsSid: 'SM2', SmsStatus: 'sent' }, 'message.sent', 'SM2'],
    ...['sent', 'delivered', 'read', 'undelivered'].map((status): [string, Record<string, string>, string, string] => [
      `a status callback of WhatsApp: ${status}`,
      {
        ...{ ...sms, ChannelPrefix: 'whatsapp', SmsStatus: status, MessageStatus: status },
        ...(status === 'sent' ? {} : { EventType: status.toUpperCase() }),
      },
      `message.${status}`,
      'SM1',
    ]),
    ['a call', { CallSid: 'CA1', CallStatus: 'completed' }, 'call.completed', 'CA1'],
    [
      'a recording of a call',
      { CallSid: 'CA1', CallStatus: 'completed', RecordingSid: 'RE1', RecordingStatus: 'absent' },
      'recording.absent',
      'RE1',
    ],
    [
      'a transcription',
      { CallSid: 'CA1', RecordingSid: 'RE1', TranscriptionSid: 'TR1', TranscriptionStatus: 'completed' },
      'transcription.completed',
      'TR1',
    ],
    [
      'a conference',
      { CallSid: 'CA1', ConferenceSid: 'CF1', StatusCallbackEvent: 'participant-join' },
      'conference.participant-join',
      'CF1',
    ],
    [
      'the end of a conference',
      { ConferenceSid: 'CF1', StatusCallbackEvent: 'conference-end' },
      'conference.end',
      'CF1',
    ],
    ['a room', { RoomSid: 'RM1', StatusCallbackEvent: 'room-created' }, 'room.created', 'RM1'],
    ['a stream', { CallSid: 'CA1', StreamSid: 'MZ1', StreamEvent: 'stream-started' }, 'stream.started', 'MZ1'],
    ['a task', { EventType: 'task.created', Sid: 'EV1', TaskSid: 'WT1' }, 'task.created', 'EV1'],
    [
      'a conversation',
      { EventType: 'onMessageAdded', ConversationSid: 'CH1', MessageSid: 'IM1' },
      'onMessageAdded',
      'IM1',
    ],
    ['an error log', { Sid: 'NO1', Level: 'ERROR', PayloadType: 'application/json' }, null, 'NO1'],
    ['a call without a state', { CallSid: 'CA1' }, null, 'CA1'],
    ['something else', { a: 'b' }, null, null],
  ])('%s', (_, params, type, id) => {
    const request = requestTo({ body: new URLSearchParams(params).toString() });
    expect(twilio.eventType(request, {})).toBe(type);
    expect(twilio.externalId(request, {})).toEqual(
      id === null ? { id: expect.stringMatching(/^gen-/), own: false } : { id, own: true },
    );
  });

  const event = (id: string, type = 'com.twilio.messaging.message.delivered') => ({ specversion: '1.0', id, type });
  test.each([
    ['Event Streams, a list of one event', [event('EZ1')], 'com.twilio.messaging.message.delivered', 'EZ1'],
    ['Event Streams, one event', event('EZ1'), 'com.twilio.messaging.message.delivered', 'EZ1'],
    ['several of a type', [event('EZ1'), event('EZ2')], 'com.twilio.messaging.message.delivered', 'EZ1'],
    [
      'several of different types',
      [event('EZ1'), event('EZ2', 'com.twilio.voice.twiml.call.requested')],
      'mixed',
      'EZ1',
    ],
    ['none', [], null, null],
    ['no events', [1, 'x', null], null, null],
  ])('%s', (_, payload, type, id) => {
    const request = requestTo({ body: JSON.stringify(payload), contentType: 'application/json' });
    expect(twilio.eventType(request, {})).toBe(type);
    expect(twilio.externalId(request, {}).id).toEqual(id ?? expect.stringMatching(/^gen-/));
  });
});

describe('duplicates', () => {
  const keyOf = (body: string, contentType: string, token?: string) => {
    const headers: Header[] = token ? [['I-Twilio-Idempotency-Token', token]] : [];
    const request = requestTo({ body, contentType, headers });
    const key = twilio.dedupKey(request, twilio.externalId(request, {}), {});
    return key && Buffer.from(key).toString('hex');
  };

  test('a retry of Twilio has the token and the bytes of the first try', () => {
    const body = 'CallSid=CA1&CallStatus=in-progress&Digits=1';
    const first = keyOf(body, formType, 'token-1');
    expect(keyOf(body, formType, 'token-1')).toBe(first);
    expect(keyOf(body, formType, 'token-2')).not.toBe(first);
    expect(keyOf(body.replace('Digits=1', 'Digits=2'), formType, 'token-1')).not.toBe(first);
    // The same key may have been pressed twice in a call, which cannot be distinguished from a resend.
    expect(keyOf(body, formType)).toBe(null);
    expect(keyOf('a=b', formType, 'token-1')).not.toBe(null);
  });

  test('an event of Event Streams is recognised by its id in any batch', () => {
    const json = 'application/json';
    const one = keyOf('[{"id":"EZ1"}]', json, 'token-1');
    expect(one).toBe(hash('sha256', 'EZ1', 'hex'));
    expect(keyOf('{"id":"EZ1","again":true}', json, 'token-2')).toBe(one);
    const two = keyOf('[{"id":"EZ1"},{"id":"EZ2"}]', json);
    expect(two).not.toBe(one);
    expect(keyOf('[{"id":"EZ1"},{"id":"EZ3"}]', json)).not.toBe(two);
    expect(keyOf('[{"id":"EZ1"},{"id":"EZ2"}]', json)).toBe(two);
    expect(keyOf('[{"id":""}]', json)).toBe(null);
  });

  test('a body with a hash in the URL is read as JSON with any content type, which is not signed', () => {
    const body = '[{"id":"EZ1","type":"com.twilio.messaging.message.delivered"}]';
    const url = `https://gateway.example/twilio/shop?bodySHA256=${hash('sha256', body, 'hex')}`;
    const headers: Header[] = [
      ...signedWith(getExpectedTwilioSignature('hush', url, {})),
      ['I-Twilio-Idempotency-Token', 'another'],
    ];
    for (const contentType of ['application/json', formType]) {
      const request = requestTo({ url, headers, body, contentType });
      expect(verify(request, 'hush')).toEqual(ok);
      const externalId = twilio.externalId(request, {});
      expect(externalId).toEqual({ id: 'EZ1', own: true });
      expect(twilio.eventType(request, {})).toBe('com.twilio.messaging.message.delivered');
      const key = twilio.dedupKey(request, externalId, {}) ?? [];
      expect(Buffer.from(key).toString('hex')).toBe(hash('sha256', 'EZ1', 'hex'));
      expect(twilio.acknowledge?.(request)).toBe(null);
    }
  });
});
