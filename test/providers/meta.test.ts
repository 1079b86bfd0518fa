import { verify } from '@octokit/webhooks-methods';
import { describe, expect, test } from 'vitest';
import type { Header } from '../../src/providers/inbound-request.ts';
import { meta } from '../../src/providers/meta.ts';
import { shownConfig } from '../../src/providers/provider-config.ts';
import { readProviderConfig } from '../../src/providers/registry.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { meta as sample } from '../support/providers/meta.ts';
import { messageOf, settingsOf } from '../support/providers/request.ts';
import { requestOf } from './request.ts';

describe('signature', () => {
  const verdict = (headers: Header[], body: string, current: string, previous: string | null = null) =>
    verifyInbound(meta, settingsOf(sample, current, previous), requestOf({ headers, body }));

  // printf '%s' '{"object":"page","name":"Zo\u00eb"}' | openssl dgst -sha256 -hmac hush
  const body = '{"object":"page","name":"Zo\\u00eb"}';
  const known = '2f9ba2eab3d58c8878f8bafc5d45d328fa992fcdbc51fea959989936f639433e';

  test.each<[string, Header[], string | null]>([
    ['a signature computed by OpenSSL', [['X-Hub-Signature-256', `sha256=${known}`]], null],
    ['none', [], 'missing_signature'],
    ['only the old signature', [['X-Hub-Signature', `sha1=${known.slice(24)}`]], 'missing_signature'],
    ['a short signature', [['X-Hub-Signature-256', `sha256=${known.slice(2)}`]], 'malformed_signature'],
    ['a wrong signature', [['X-Hub-Signature-256', `sha256=${'0'.repeat(64)}`]], 'bad_signature'],
  ])('%s', (_, headers, reason) =>
    expect(verdict(headers, body, 'hush')).toEqual(reason === null ? { ok: true } : { ok: false, reason }),
  );

  test('equals that of a library with the same scheme', async () => {
    const key = sample.newKey();
    const { headers } = await key.sign(messageOf(sample, { body }));
    for (const sent of [body, body.replace('\\u00eb', 'ë')])
      for (const secret of [key.secret, sample.newKey().secret])
        expect(verdict(headers, sent, secret).ok).toBe(await verify(secret, sent, headers[0]?.[1] ?? ''));
    expect(verdict(headers, body, sample.newKey().secret, key.secret)).toEqual({ ok: true });
  });
});

const read = (notification: unknown) => {
  const body = typeof notification === 'string' ? notification : JSON.stringify(notification);
  const request = requestOf({ body });
  const id = meta.externalId(request, {});
  return { type: meta.eventType(request, {}), id, key: meta.dedupKey(request, id, {}) };
};
const generated = { id: expect.stringMatching(/^gen-/), own: false };
const own = (id: string) => ({ id, own: true });
const whatsapp = (...values: unknown[]) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '1', changes: values.map((value) => ({ field: 'messages', value })) }],
});
const messenger = (object: string, ...messaging: unknown[]) => ({
  object,
  entry: [{ id: '1', time: 1458692752478, messaging }],
});
/** As Meta sends it to apps with Instagram login. */
const instagramEntry = (field: string, value: unknown) => ({
  object: 'instagram',
  entry: [{ id: '1', time: 1520383571, field, value }],
});
const feed = (field: string, value: unknown) => ({
  object: 'page',
  entry: [{ id: '1', time: 1520383571, changes: [{ field, value }] }],
});

describe('type and id', () => {
  test.each<[string, unknown, string | null, unknown]>([
    [
      'a WhatsApp message',
      whatsapp({ messages: [{ id: 'wamid.A' }] }),
      'whatsapp_business_account.messages',
      own('wamid.A'),
    ],
    [
      'a WhatsApp status',
      whatsapp({ statuses: [{ id: 'wamid.A', status: 'read' }] }),
      'whatsapp_business_account.messages',
      own('wamid.A:read'),
    ],
    ['a Messenger message', messenger('page', { message: { mid: 'm_1' } }), 'page.messages', own('m_1')],
    ['an echo', messenger('page', { message: { mid: 'm_1', is_echo: true } }), 'page.message_echoes', own('m_1')],
    ['a postback', messenger('page', { postback: { mid: 'm_2' } }), 'page.messaging_postbacks', own('m_2')],
    ['a delivery', messenger('page', { delivery: { watermark: 1 } }), 'page.message_deliveries', generated],
    ['a read', messenger('page', { read: { watermark: 1 } }), 'page.message_reads', generated],
    ['a handover', messenger('page', { pass_thread_control: {} }), 'page.messaging_handovers', generated],
    ['a thumb up', messenger('page', { response_feedback: { mid: 'm_4' } }), 'page.response_feedback', own('m_4')],
    ['feedback', messenger('page', { messaging_feedback: {} }), 'page.messaging_feedback', generated],
    [
      'an address',
      messenger('page', { messaging_customer_information: {} }),
      'page.messaging_customer_information',
      generated,
    ],
    ['something new', messenger('page', { surprise: {} }), 'page.messaging', generated],
    ['an Instagram message', messenger('instagram', { message: { mid: 'i_1' } }), 'instagram.messages', own('i_1')],
    [
      'an Instagram echo',
      messenger('instagram', { message: { mid: 'i_1', is_echo: true } }),
      'instagram.messages',
      own('i_1'),
    ],
    ['an Instagram read', messenger('instagram', { read: { mid: 'i_1' } }), 'instagram.messaging_seen', own('i_1')],
    ['an Instagram edit', messenger('instagram', { message_edit: { mid: 'i' } }), 'instagram.message_edit', own('i')],
    ['an Instagram referral', messenger('instagram', { referral: {} }), 'instagram.messaging_referral', generated],
    [
      'an Instagram handover',
      messenger('instagram', { take_thread_control: {} }),
      'instagram.messaging_handover',
      generated,
    ],
    ['a comment with Instagram login', instagramEntry('comments', { id: '17865' }), 'instagram.comments', own('17865')],
    ['a live comment with it', instagramEntry('live_comments', { id: '1' }), 'instagram.live_comments', own('1')],
    ['an entry with an empty field', instagramEntry('', { id: '1' }), 'instagram', generated],
    [
      'standby',
      { object: 'page', entry: [{ id: '1', standby: [{ message: { mid: 'm_3' } }] }] },
      'page.standby',
      own('m_3'),
    ],
    ['a post', feed('feed', { item: 'post', verb: 'add', post_id: '1_2' }), 'page.feed', generated],
    ['a lead', feed('leadgen', { leadgen_id: '444444444444' }), 'page.leadgen', own('444444444444')],
    ['a lead by number', feed('leadgen', { leadgen_id: 444444444444 }), 'page.leadgen', own('444444444444')],
    ['a number that loses digits', feed('leadgen', { leadgen_id: 2 ** 60 }), 'page.leadgen', generated],
    ['a comment', feed('comments', { id: '17865799348089039' }), 'page.comments', own('17865799348089039')],
    ['the id of another object', feed('in_process_ad_objects', { id: '1' }), 'page.in_process_ad_objects', generated],
    ['names only', { object: 'user', entry: [{ uid: '1', changed_fields: ['photos'] }] }, 'user.photos', generated],
    ['no entry', { object: 'page' }, 'page', generated],
    ['no object', { entry: [{ changes: [{ field: 'feed' }] }] }, null, generated],
    ['an empty field', feed('', {}), 'page', generated],
    ['an empty object', { object: '', entry: [] }, null, generated],
    ['lists that are objects', { object: 'page', entry: { 0: { changes: 7 } } }, 'page', generated],
    [
      'invalid items',
      { object: 'page', entry: [null, 7, [], { changes: [null, 'x', { field: 7 }] }] },
      'page',
      generated,
    ],
    ['inherited names', '{"object":"page","entry":[{"__proto__":{"changes":[{"field":"feed"}]}}]}', 'page', generated],
    ['no JSON', 'object=page', null, generated],
    ['nothing', '', null, generated],
  ])('%s', (_, notification, type, id) => expect(read(notification)).toMatchObject({ type, id }));
});

describe('batches', () => {
  test('of one kind have its type and the first id', () => {
    const batch = whatsapp({ statuses: [] }, { messages: [{ id: 'wamid.A' }, { id: 'wamid.B' }] });
    expect(read(batch)).toMatchObject({ type: 'whatsapp_business_account.messages', id: own('wamid.A') });
  });

  test('of several kinds have the type of the object', () => {
    const mixed = messenger('page', { delivery: {} }, { message: { mid: 'm_1' } });
    expect(read(mixed)).toMatchObject({ type: 'page', id: own('m_1') });
    const entries = [...feed('feed', {}).entry, ...feed('mention', {}).entry];
    expect(read({ object: 'page', entry: entries })).toMatchObject({ type: 'page' });
  });

  test('are read up to the number of entries that Meta sends', () => {
    const changes = (count: number) => [...Array(count).fill({ field: 'feed' }), { field: 'mention', value: {} }];
    const entry = (count: number) => ({ object: 'page', entry: [{ changes: changes(count) }] });
    expect(read(entry(999)).type).toBe('page');
    expect(read(entry(1000)).type).toBe('page.feed');
  });

  test.each([0, null])('are not read further, also if they are filled with %j', (filler) => {
    const filled = (count: number, last: unknown) => [...Array(count).fill(filler), last];
    const typeOf = (entry: unknown) => read({ object: 'page', entry }).type;
    expect(typeOf(filled(999, { changes: [{ field: 'feed' }] }))).toBe('page.feed');
    expect(typeOf(filled(1000, { changes: [{ field: 'feed' }] }))).toBe('page');
    for (const [list, item, type] of [
      ['changes', { field: 'feed' }, 'page.feed'],
      ['messaging', { message: {} }, 'page.messages'],
      ['standby', { message: {} }, 'page.standby'],
      ['changed_fields', 'photos', 'page.photos'],
    ] as const) {
      expect(typeOf([{ [list]: filled(999, item) }])).toBe(type);
      expect(typeOf([{ [list]: filled(1000, item) }])).toBe('page');
      const half = { [list]: Array(500).fill(filler) };
      expect(typeOf([half, half, { [list]: [item] }])).toBe('page');
    }
  });

  test('with the same beginning are not duplicates, but the same batch is', () => {
    const batch = (...ids: string[]) => read(whatsapp({ messages: ids.map((id) => ({ id })) })).key;
    expect(batch('wamid.A', 'wamid.B')).toHaveLength(32);
    expect(batch('wamid.A', 'wamid.B')).toEqual(batch('wamid.A', 'wamid.B'));
    expect(batch('wamid.A', 'wamid.C')).not.toEqual(batch('wamid.A', 'wamid.B'));
    expect(batch('wamid.A')).not.toEqual(batch('wamid.A', 'wamid.B'));
  });

  test('a comment with Instagram login that comes again is a duplicate', () => {
    const comment = () => read(instagramEntry('comments', { id: '17865', text: 'hi' })).key;
    expect(comment()).toHaveLength(32);
    expect(comment()).toEqual(comment());
  });

  test('each status of a message is a different event', () => {
    const status = (name: string) => read(whatsapp({ statuses: [{ id: 'wamid.A', status: name }] })).key;
    expect(status('sent')).not.toEqual(status('delivered'));
    expect(read(feed('feed', { post_id: '1_2' })).key).toBe(null);
  });
});

describe('handshake', () => {
  const ask = (query: string, config: object | null = { verify_token: 'meatyhamhock' }) =>
    meta.handshake?.(requestOf({ query }), config ?? {});
  const refused = { ok: false };

  // The example of https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests
  const query = 'hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meatyhamhock';

  test('echoes the challenge to a caller with the verify token', () => {
    const answer = { status: 200, contentType: 'text/plain; charset=utf-8', body: '1158201444' };
    expect(ask(query)).toEqual({ ok: true, answer });
    expect(
      ask('hub.verify_token=t%C3%B6ken+%2B&hub.challenge=1158201444&hub.mode=subscribe', { verify_token: 'töken +' }),
    ).toEqual({ ok: true, answer });
  });

  test.each([
    ['no token configured', query, {}],
    ['a config that could not be read', query, null],
    ['a wrong token', query.replace('hock', 'hack'), undefined],
    ['the beginning of the token', query.slice(0, -1), undefined],
    ['no token', 'hub.mode=subscribe&hub.challenge=1', undefined],
    ['the word undefined', query.replace('meatyhamhock', 'undefined'), {}],
    ['no token in request and config', 'hub.mode=subscribe&hub.challenge=1', {}],
    ['an empty token', 'hub.mode=subscribe&hub.challenge=1&hub.verify_token=', undefined],
    ['another mode', query.replace('subscribe', 'unsubscribe'), undefined],
    ['no mode', query.replace('hub.mode', 'mode'), undefined],
    ['no challenge', query.replace('hub.challenge', 'challenge'), undefined],
    ['an empty challenge', query.replace('1158201444', ''), undefined],
    ['nothing', '', undefined],
  ])('refuses: %s', (_, asked, config) => expect(ask(asked, config)).toEqual(refused));
});

test('the verify token is optional, never empty, and never shown', () => {
  expect(readProviderConfig('meta', {})).toEqual({});
  expect(readProviderConfig('meta', { verify_token: 'x' })).toEqual({ verify_token: 'x' });
  for (const other of [{ verify_token: '' }, { verify_token: null }, { verify_token: 7 }, { token: 'x' }])
    expect(readProviderConfig('meta', other)).toBe(null);
  expect(shownConfig(meta, { verify_token: 'x' })).toEqual({ has_verify_token: true });
});
