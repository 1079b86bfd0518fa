import { createHmac } from 'node:crypto';
import { isValidSlackRequest } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import type { Header } from '../../src/providers/inbound-request.ts';
import { slack } from '../../src/providers/slack.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { messageOf, settingsOf } from '../support/providers/request.ts';
import { slack as sample } from '../support/providers/slack.ts';
import { receivedAt, requestOf } from './request.ts';

// https://docs.slack.dev/authentication/verifying-requests-from-slack
const published = {
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  timestamp: '1531420618',
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  body:
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
    '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
    '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
    '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
};
const form: Header = ['Content-Type', 'application/x-www-form-urlencoded'];
const refused = (reason: string) => expect.objectContaining({ ok: false, reason });

describe('signature', () => {
  const verdict = (headers: Header[], body: string, secret: string, at = receivedAt, previous: string | null = null) =>
    verifyInbound(slack, settingsOf(sample, secret, previous), requestOf({ headers, body, at }));

  test('the example from Slack’s documentation verifies at its time, and is stale later', () => {
    const headers: Header[] = [
      form,
      ['X-Slack-Request-Timestamp', published.timestamp],
      ['X-Slack-Signature', published.signature],
    ];
    const at = (seconds: number) => new Date((Number(published.timestamp) + seconds) * 1000);
    const of = (seconds: number) => verdict(headers, published.body, published.secret, at(seconds));
    expect(of(0)).toEqual({ ok: true });
    expect(of(300)).toEqual({ ok: true });
    expect(of(301)).toEqual(refused('stale_timestamp'));
    expect(of(-301)).toEqual(refused('stale_timestamp'));
    expect(verdict(headers, `${published.body}&`, published.secret, at(0))).toEqual(refused('bad_signature'));
  });

  test.each([
    ['JSON', '{"text":"Zoë 💶"}'],
    ['a form', `payload=${encodeURIComponent('{"type":"view_submission","text":"Zoë"}')}`],
    ['nothing', ''],
  ])("agrees with Slack's library about %s", async (_, body) => {
    const key = sample.newKey();
    const { headers } = await key.sign(messageOf(sample, { body, at: receivedAt }));
    const at = (name: string) => headers.find(([header]) => header.toLowerCase() === name)?.[1] ?? '';
    for (const sent of [body, `${body} `])
      for (const secret of [key.secret, sample.newKey().secret]) {
        const valid = isValidSlackRequest({
          signingSecret: secret,
          body: sent,
          headers: {
            'x-slack-signature': at('x-slack-signature'),
            'x-slack-request-timestamp': Number(at('x-slack-request-timestamp')),
          },
          nowMilliseconds: receivedAt.getTime(),
        });
        expect(verdict(headers, sent, secret).ok).toBe(valid);
        expect(valid).toBe(sent === body && secret === key.secret);
      }
    expect(verdict(headers, body, sample.newKey().secret, receivedAt, key.secret)).toEqual({ ok: true });
  });

  /** Headers with this time and a valid signature over it. */
  const signedAt = (timestamp: string, name = 'X-Slack-Signature'): Header[] => [
    ['x-slack-request-timestamp', timestamp],
    [name, `v0=${createHmac('sha256', 'hush').update(`v0:${timestamp}:{}`).digest('hex')}`],
  ];
  const now = String(Math.floor(receivedAt.getTime() / 1000));
  const [time, right] = signedAt(now) as [Header, Header];

  test.each<[string, Header[], string | null]>([
    ['a right signature', [time, right], null],
    ['another case of the headers', signedAt(now, 'X-SLACK-SIGNATURE'), null],
    ['no signature', [time], 'missing_signature'],
    ['an empty signature', [time, ['X-Slack-Signature', '']], 'missing_signature'],
    ['no version', [time, ['X-Slack-Signature', right[1].slice(3)]], 'malformed_signature'],
    ['another version', [time, ['X-Slack-Signature', right[1].replace('v0', 'v1')]], 'malformed_signature'],
    ['a short signature', [time, ['X-Slack-Signature', right[1].slice(0, 40)]], 'malformed_signature'],
    ['no time', [right], 'missing_timestamp'],
    ['an empty time', [['X-Slack-Request-Timestamp', ''], right], 'missing_timestamp'],
    ['another time', [['X-Slack-Request-Timestamp', String(Number(now) + 1)], right], 'bad_signature'],
    ['an invalid time', [['X-Slack-Request-Timestamp', 'now'], right], 'bad_signature'],
    ['a signed time that is invalid', signedAt('now'), 'malformed_timestamp'],
    ['a signed time in milliseconds', signedAt(`${now}000`), 'malformed_timestamp'],
    ['a signed time with a fraction', signedAt(`${now}.5`), 'malformed_timestamp'],
    ['a signed time of very many digits', signedAt('1'.repeat(5000)), 'malformed_timestamp'],
    ['a signed time long ago', signedAt('0'), 'stale_timestamp'],
    ['a signed time far ahead', signedAt('99999999999'), 'stale_timestamp'],
  ])('%s', (_, headers, reason) =>
    expect(verdict(headers, '{}', 'hush')).toEqual(reason === null ? { ok: true } : refused(reason)),
  );
});

describe('type, id and duplicates', () => {
  const read = (body: string, headers: Header[] = []) => {
    const request = requestOf({ headers, body });
    const externalId = slack.externalId(request, { tolerance_seconds: 300 });
    const key = slack.dedupKey(request, externalId, { tolerance_seconds: 300 });
    return { type: slack.eventType(request, { tolerance_seconds: 300 }), id: externalId, key };
  };
  const generated = { id: expect.stringMatching(/^gen-/), own: false };
  const own = (id: string) => ({ id, own: true });
  const interaction = (payload: unknown) => read(`payload=${encodeURIComponent(JSON.stringify(payload))}`, [form]);

  test.each([
    ['{"type":"event_callback","event":{"type":"app_mention"},"event_id":"Ev1"}', 'app_mention', own('Ev1')],
    [
      '{"type":"event_callback","event":{"type":"message","subtype":"bot_message"},"event_id":"Ev2"}',
      'message',
      own('Ev2'),
    ],
    ['{"type":"event_callback","event":{},"event_id":"Ev3"}', 'event_callback', own('Ev3')],
    ['{"type":"event_callback","event":["type"],"event_id":7}', 'event_callback', own('7')],
    ['{"type":"app_rate_limited","minute_rate_limited":1518467820}', 'app_rate_limited', generated],
    ['{"type":"x","event":{"type":"y"}}', 'x', generated],
    ['{"type":"event_callback","event":{"__proto__":{"type":"x"}}}', 'event_callback', generated],
    ['{"event":{"type":"app_mention"}}', null, generated],
    ['[]', null, generated],
    ['', null, generated],
    ['command=%2Fweather', 'slash_command', generated],
    ['text=weather', null, generated],
  ])('%s', (body, type, id) => expect(read(body)).toMatchObject({ type, id }));

  test('a slash command', () => {
    expect(read(published.body, [form])).toMatchObject({
      type: 'slash_command',
      id: own('398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'),
    });
    expect(read('command=%2Fweather&text=payload', [form])).toMatchObject({ type: 'slash_command', id: generated });
  });

  test.each([
    [{ type: 'block_actions', trigger_id: '12.34.ab' }, 'block_actions', own('12.34.ab')],
    [{ type: 'view_submission', trigger_id: '12.34.ab', view: {} }, 'view_submission', own('12.34.ab')],
    [{ type: 'shortcut', trigger_id: '12.34.ab' }, 'shortcut', own('12.34.ab')],
    [{ type: 'view_closed', view: {} }, 'view_closed', generated],
    [{ type: 'block_suggestion', trigger_id: '' }, 'block_suggestion', generated],
    [{ type: 7, trigger_id: {} }, null, generated],
    [[], null, generated],
    ['text', null, generated],
  ])('the interaction %j', (payload, type, id) => expect(interaction(payload)).toMatchObject({ type, id }));

  test('an event that is sent again is a duplicate by its id', () => {
    const event = (id: string, time: number) =>
      read(`{"type":"event_callback","event_id":"${id}","event_time":${time}}`);
    expect(event('Ev1', 1).key).toHaveLength(32);
    expect(event('Ev1', 2).key).toEqual(event('Ev1', 1).key);
    expect(event('Ev2', 1).key).not.toEqual(event('Ev1', 1).key);
  });

  test.each([
    ['an event', '{"type":"event_callback","event_id":"Ev1"}'],
    ['a command', published.body],
    ['an interaction', `payload=${encodeURIComponent('{"type":"shortcut","trigger_id":"1"}')}`],
  ])('%s is read alike with any content type, which is not signed', (_, body) => {
    const seen = [[], [form], [['Content-Type', 'application/json']]].map((headers) => [
      read(body, headers as Header[]),
      slack.acknowledge?.(requestOf({ headers: headers as Header[], body })),
    ]);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });

  test('the same trigger id alone does not make a duplicate', () => {
    const click = (value: string) => interaction({ type: 'block_actions', trigger_id: '1', value });
    expect(click('a').key).toHaveLength(32);
    expect(click('a').key).toEqual(click('a').key);
    expect(click('b').key).not.toEqual(click('a').key);
    expect(interaction({ type: 'view_closed' }).key).toBe(null);
  });
});

describe('challenge', () => {
  const challenge = (body: string, headers: Header[] = []) => slack.challenge?.(requestOf({ headers, body }));
  const text = (body: string) => ({ status: 200, contentType: 'text/plain; charset=utf-8', body });

  test('of the URL of events is echoed', () => {
    // https://docs.slack.dev/reference/events/url_verification
    const value = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P';
    expect(challenge(`{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","challenge":"${value}","type":"url_verification"}`)).toEqual(
      text(value),
    );
  });

  test('of the certificate gets an empty answer', () =>
    expect(challenge('ssl_check=1&token=x', [form])).toEqual(text('')));

  test.each([
    '{"type":"event_callback","challenge":"x"}',
    '{"type":"url_verification"}',
    '{"type":"url_verification","challenge":{}}',
    '["url_verification"]',
    '',
    'ssl_check=0',
  ])('%s is not a challenge', (body) => expect(challenge(body)).toBe(null));

  test('another form is not a challenge', () => expect(challenge(published.body, [form])).toBe(null));

  test('an unsigned form with ssl_check gets an empty answer', () => {
    const check = (body: string, headers: Header[] = [form]) => slack.unsignedCheck?.(requestOf({ headers, body }));
    expect(check('ssl_check=1&token=x')).toEqual(text(''));
    expect(check('token=x&ssl_check=1', [])).toEqual(text(''));
    const unsigned = ['ssl_check=0&token=x', 'token=x', 'ssl_check=1&command=%2Fx', 'ssl_check=1&payload=%7B%7D', ''];
    const events = ['{"ssl_check":"1"}', '{"type":"url_verification","challenge":"x","ssl_check":1}'];
    for (const body of [...unsigned, ...events]) expect(check(body), body).toBe(null);
    expect(check('ssl_check=1&token=x', [form, ['X-Slack-Signature', 'v0=00']])).toBe(null);
  });

  test('only ssl_check marks a check of the certificate', () => {
    const handshake = (query: string) => slack.handshake?.(requestOf({ query }), { tolerance_seconds: 300 });
    expect(handshake('ssl_check=1&token=x')).toEqual({ ok: true, answer: text('') });
    expect(handshake('ssl_check=0')).toEqual({ ok: false });
    expect(handshake('')).toEqual({ ok: false });
  });
});
