import { hash } from 'node:crypto';
import { parse, stringify } from 'node:querystring';
import twilioLibrary from 'twilio';
import { describe, expect, test } from 'vitest';
import { type Header, inboundRequest } from '../../src/providers/inbound-request.ts';
import { readProviderConfig } from '../../src/providers/registry.ts';
import { twilio } from '../../src/providers/twilio.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { messageOf, received, receivedAt, settingsOf } from '../support/providers/request.ts';
import { twilio as sample } from '../support/providers/twilio.ts';

const { getExpectedTwilioSignature, validateRequest, validateRequestWithBody } = twilioLibrary;
const formType = 'application/x-www-form-urlencoded';
const ok = { ok: true };
const refused = (reason: string) => ({ ok: false, reason });

/** A request to `url`, whose origin is the gateway's own by default. */
function requestTo({
  url = 'https://gateway.example/twilio/shop',
  publicUrl = new URL(url).origin as string | null,
  headers = [],
  body = '',
  contentType = formType,
}: {
  url?: string;
  publicUrl?: string | null;
  headers?: Header[];
  body?: string;
  contentType?: string;
}) {
  return inboundRequest({
    rawHeaders: [['Host', new URL(url).host], ['Content-Type', contentType], ...headers].flat(),
    target: url.slice(url.indexOf('/', 'https://'.length)),
    publicUrl,
    body: Buffer.from(body),
    receivedAt,
  });
}

const signedWith = (signature: string): Header[] => [['X-Twilio-Signature', signature]];
const verify = (request: ReturnType<typeof requestTo>, secret: string, config: object = {}) =>
  verifyInbound(twilio, { skip: false, current: secret, previous: null, config }, request);

describe("the examples in the tests of Twilio's libraries", () => {
  // https://github.com/twilio/twilio-python/blob/main/tests/unit/test_request_validator.py
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const http = url.replace('https', 'http');
  const withPort = (address: string) => address.replace('.com', '.com:1234');
  const body = new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
    Caller: '+14158675309',
  }).toString();

  test.each([
    ['a form', url, body, 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
    ['signed without the port', withPort(url), body, 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
    ['signed with a port over http', withPort(http), body, 'Zmvh+3yNM1Phv2jhDCwEM3q5ebU='],
    ['signed with the port 443', url, body, 'kvajT1Ptam85bY51eRf/AJRuM3w='],
    ['signed with the port 80', http, body, '0ZXoZLH/DfblKGATFgpif+LLRf4='],
    [
      'repeated parameters',
      url,
      'Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234',
      'IK+Dwps556ElfBT0I3Rgjkr1wJU=',
    ],
  ])('%s', (_, address, form, signature) => {
    const headers = signedWith(signature);
    expect(verify(requestTo({ url: address, headers, body: form }), '12345')).toEqual(ok);
    // Without PUBLIC_URL, the requested host with http counts.
    const byHost = requestTo({ url: address, publicUrl: null, headers, body: form });
    expect(verify(byHost, '12345')).toEqual(address.startsWith('http:') ? ok : refused('bad_signature'));
    expect(verify(requestTo({ url: address, headers, body: form }), '12346')).toEqual(refused('bad_signature'));
    expect(verify(requestTo({ url: address, headers, body: `${form}&X=1` }), '12345')).toEqual(
      refused('bad_signature'),
    );
    expect(verify(requestTo({ url: `${address}&x=1`, headers, body: form }), '12345')).toEqual(
      refused('bad_signature'),
    );
  });

  test('JSON, by its hash in the URL', () => {
    const json = '{"property": "value", "boolean": true}';
    const address = `${url}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`;
    const request = (sent: string, contentType = 'application/json') =>
      requestTo({ url: address, headers: signedWith('a9nBmqA0ju/hNViExpshrM61xv4='), body: sent, contentType });
    expect(verify(request(json), '12345')).toEqual(ok);
    expect(verify(request(json.replace('value', 'valuf')), '12345')).toEqual(refused('bad_signature'));
    expect(verify(request(''), '12345')).toEqual(refused('bad_signature'));
    // Declaring another body as a form does not help.
    expect(verify(request('a=b', formType), '12345')).toEqual(refused('bad_signature'));
  });
});

describe('signature', () => {
  const key = sample.newKey();

  test.each([
    ['a form', 'Body=Zo%C3%AB+%F0%9F%92%B6&To=%2B1&To=%2B2&To=%2B1&Empty=&NumMedia=0', formType],
    ['an empty form', '', formType],
    ['JSON', '[{"id":"EZ1","type":"com.twilio.test","data":{"name":"Zoë 💶"}}]', 'application/json'],
    ['nothing', '', 'application/json'],
  ])("agrees with Twilio's library about %s", async (_, body, contentType) => {
    const message = messageOf(sample, { body, contentType });
    const signed = await key.sign(message);
    const url = message.url + signed.query;
    for (const sent of [body, `${body}x`]) {
      for (const secret of [key.secret, sample.newKey().secret]) {
        const [, signature = ''] = signed.headers[0] ?? [];
        const params: Record<string, string[]> = {};
        if (contentType === formType) {
          const form = new URLSearchParams(sent);
          for (const name of form.keys()) params[name] = form.getAll(name);
        }
        const valid =
          contentType === formType
            ? validateRequest(secret, signature, url, params)
            : validateRequestWithBody(secret, signature, url, sent);
        expect(valid).toBe(sent === body && secret === key.secret);
        const verdict = verifyInbound(
          twilio,
          settingsOf(sample, secret),
          received(sample, { ...signed, body: Buffer.from(sent) }, contentType),
        );
        expect(verdict).toEqual(valid ? ok : refused('bad_signature'));
      }
    }
  });

  test.each([
    "https://gateway.example/twilio/shop?name=O'Neil&x=a+b%20c",
    'https://gateway.example/twilio/shop?name=O%27Neil',
    'https://gateway.example:8443/twilio/shop?a=1',
    'http://[::1]:8080/twilio/shop',
    'http://[::1]/twilio/shop?time=12:30/4',
  ])("every form of the address that Twilio's library takes is taken: %s", (url) => {
    const { origin, pathname, search } = new URL(url);
    const noPort = url.replace(/(?<=example|\]):\d+/, '');
    const candidates = [
      url,
      noPort,
      noPort.replace(/(?<=example|\])(?=\/)/, url.startsWith('https') ? ':443' : ':80'),
      origin + pathname + search,
      origin + pathname + (search && `?${stringify(parse(search.slice(1)))}`),
    ];
    for (const address of candidates) {
      const signature = getExpectedTwilioSignature(key.secret, address, {});
      const valid = validateRequest(key.secret, signature, url, {});
      const publicUrl = url.slice(0, url.indexOf('/twilio'));
      expect(verify(requestTo({ url, publicUrl, headers: signedWith(signature) }), key.secret), address).toEqual(
        valid ? ok : refused('bad_signature'),
      );
    }
  });

  test('the address of a proxy can be configured', () => {
    const publicUrl = 'https://hooks.example/in';
    const signature = getExpectedTwilioSignature(key.secret, `${publicUrl}/twilio/shop?a=1`, { Body: 'x' });
    const request = requestTo({
      url: 'https://gateway.example/twilio/shop?a=1',
      headers: signedWith(signature),
      body: 'Body=x',
    });
    expect(verify(request, key.secret)).toEqual(refused('bad_signature'));
    expect(readProviderConfig('twilio', { public_url: 'https://a.example/twilio' })).not.toBe(null);
    for (const given of [publicUrl, `${publicUrl}/`]) {
      const config = readProviderConfig('twilio', { public_url: given });
      expect(verify(request, key.secret, config ?? {})).toEqual(ok);
    }
  });

  test.each([
    'gateway.example',
    'ftp://a.example',
    'https://u:p@a.example',
    'https://a.example?x',
    'https://a.example#x',
    'https://a.example ',
    ' https://a.example',
    'https://a.example/a b',
    'https://a.exa\nmple',
    'https://a.example/twilio/shop',
    'https://a.example/hooks/twilio/shop/',
  ])('not a valid address of a proxy: %s', (public_url) =>
    expect(readProviderConfig('twilio', { public_url })).toBe(null),
  );

  test('a missing signature and signatures of another length are refused', () => {
    expect(verify(requestTo({ body: 'a=b' }), key.secret)).toEqual(refused('missing_signature'));
    for (const signature of ['AAAA', 'RSOYDt4T1cUTdK1PDd93', `${'A'.repeat(28)}`, '?'.repeat(28)])
      expect(verify(requestTo({ headers: signedWith(signature) }), key.secret), signature).toEqual(
        refused('malformed_signature'),
      );
  });

  test('a body without its hash in the URL is refused', () => {
    const url = 'https://gateway.example/twilio/shop';
    const headers = signedWith(getExpectedTwilioSignature(key.secret, url, {}));
    expect(verify(requestTo({ url, headers, contentType: 'application/json' }), key.secret)).toEqual(ok);
    for (const [body, contentType] of [
      ['{}', 'application/json'],
      ['a=b', 'text/plain'],
      ['a=b', 'multipart/form-data; boundary=x'],
    ])
      expect(verify(requestTo({ url, headers, body, contentType }), key.secret)).toEqual(refused('bad_signature'));
  });

  test('a body with more parameters than Twilio sends is refused without sorting them', () => {
    const url = 'https://gateway.example/twilio/shop';
    const of = (count: number) => {
      const params = Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, 'x']));
      const headers = signedWith(getExpectedTwilioSignature(key.secret, url, params));
      return verify(requestTo({ url, headers, body: new URLSearchParams(params).toString() }), key.secret);
    };
    expect(of(1000)).toEqual(ok);
    expect(of(1001)).toEqual(refused('bad_signature'));
  });
});

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
