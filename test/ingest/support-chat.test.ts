import { describe, expect, test } from 'vitest';
import { fixture } from '../providers/request.ts';
import { eventsOf, storedEvent } from '../support/stored.ts';
import { useForAll } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const current = 'chat-secret-9f20c1';
const previous = 'chat-before-41be';
const originalUrl = { 'x-original-url': 'https://hooks.test/support_chat/desk?key=what-the-proxy-saw' };
const session = 'session_0f6d3a52-9c1e-4b7a-8a44-2f8c1d90be17';

const secrets = { signing_secret_current: current, signing_secret_previous: previous };
const gateway = useGateway({ worker: false });
const account = useForAll(() =>
  gateway.admin.createAccount({
    provider: 'support_chat',
    skip_signature_verification: false,
    ...secrets,
  }),
);

let sent = 0;
/** Posts a body that differs from all earlier ones, so that none is a duplicate. */
const post = (headers: Record<string, string>, query: string, to = account) =>
  gateway.send(to, JSON.stringify({ event: 'message:send', timestamp: ++sent }), headers, query);

describe('verification', () => {
  test.each([
    ['the current key', current],
    ['the previous key', previous],
  ])('%s is accepted', async (_name, key) => {
    expect((await post(originalUrl, `?key=${key}`)).status).toBe(202);
  });

  test.each([
    ['a wrong key of the same length', originalUrl, `?key=${current.replace(/.$/, 'x')}`, 'bad_signature'],
    ['a shorter key', originalUrl, `?key=${current.slice(0, -1)}`, 'bad_signature'],
    ['a longer key', originalUrl, `?key=${current}0`, 'bad_signature'],
    ['no key', originalUrl, '', 'missing_signature'],
    ['an empty key', originalUrl, '?key=', 'missing_signature'],
    ['a key in X-Original-Url only', { 'x-original-url': `/support_chat/a?key=${current}` }, '', 'missing_signature'],
    ['a header instead of the key', { ...originalUrl, 'x-webhook-secret': current }, '', 'missing_signature'],
    [
      'a bearer token instead of the key',
      { ...originalUrl, authorization: `Bearer ${current}` },
      '',
      'missing_signature',
    ],
    ['no X-Original-Url', {}, `?key=${current}`, 'missing_original_url'],
    ['an empty X-Original-Url', { 'x-original-url': '' }, `?key=${current}`, 'missing_original_url'],
  ])('%s is refused and recorded', async (_name, headers: Record<string, string>, query, reason) => {
    const own = await gateway.admin.createAccount({
      provider: 'support_chat',
      skip_signature_verification: false,
      ...secrets,
    });
    const answer = await post(headers, query, own);
    expect(answer).toMatchObject({ status: 401, body: { status: 401, code: 'verification_failed' } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    const events = await eventsOf(gateway.database, own.id);
    expect(events).toMatchObject([{ status: 'rejected', delivery_status: null, rejection_reason: reason }]);
    expect(JSON.stringify(events[0]?.headers)).not.toContain(current);
  });

  test('an account without a secret rejects every webhook', async () => {
    const bare = await gateway.admin.createAccount({ provider: 'support_chat', skip_signature_verification: false });
    expect((await post(originalUrl, '?key=', bare)).status).toBe(401);
  });

  test('skip_signature_verification needs neither key nor X-Original-Url', async () => {
    const open = await gateway.admin.createAccount({ provider: 'support_chat' });
    expect((await post({}, '', open)).status).toBe(202);
  });

  test('a generic account of the same slug is a different account', async () => {
    const twin = await gateway.admin.createAccount({ provider: 'generic', account_slug: account.account_slug });
    const answer = await post({}, '', twin);
    expect(answer.status).toBe(202);
    expect(await storedEvent(gateway.database, answer.body.id)).toMatchObject({
      provider: 'generic',
      account_id: twin.id,
    });
    expect((await post({}, '')).status).toBe(401);
  });
});

describe('event type and external id', () => {
  test.each([
    ['message-send.json', 'chat.message', `${session}:176520841234517`],
    ['message-received.json', 'chat.message_received', `${session}:176520846700288`],
    ['session-set-email.json', 'chat.email_set', `${session}:session:set_email:1765208431770`],
  ])('%s', async (file, type, id) => {
    const body = new Uint8Array(fixture(`support_chat/${file}`));
    const answer = await gateway.send(account, body, originalUrl, `?key=${current}`);
    expect(answer).toMatchObject({ status: 202, body: { event_type: type, external_id: id, duplicate: false } });
    const row = await storedEvent(gateway.database, answer.body.id);
    expect(row).toMatchObject({ provider: 'support_chat', event_type: type, external_id: id });
    expect(Buffer.compare(row?.body, body)).toBe(0);
  });

  test.each([
    ['{"event":"session:closed","data":{}}', 'session:closed'],
    ['{"data":{"session_id":"s"}}', null],
    ['no JSON', null],
  ])('%s has a generated id', async (body, type) => {
    const answer = await gateway.send(account, body, originalUrl, `?key=${current}`);
    const id = expect.stringMatching(/^gen-\d{13}-[0-9a-f]{16}$/);
    expect(answer).toMatchObject({ status: 202, body: { event_type: type, external_id: id } });
  });
});

describe('duplicates', () => {
  const body = (text: string) =>
    JSON.stringify({ event: 'message:send', data: { session_id: 's', fingerprint: 12, text } });
  const chat = (text: string, to = account) => gateway.send(to, body(text), originalUrl, `?key=${current}`);

  test('the same bytes again return the id of the first event', async () => {
    const first = await chat('hello');
    const again = await chat('hello');
    expect(first).toMatchObject({ status: 202, body: { external_id: 's:12', duplicate: false } });
    expect(again).toMatchObject({ status: 202, body: { ...first.body, duplicate: true } });
    const stored = await eventsOf(gateway.database, account.id);
    expect(stored.filter((event) => event.external_id === 's:12')).toHaveLength(1);
  });

  test('the same id with other bytes, or of another account, is a different event', async () => {
    const first = await chat('edited once');
    const second = await chat('edited twice');
    const other = await gateway.admin.createAccount({ provider: 'support_chat', account_slug: 'other-desk' });
    const third = await chat('edited once', other);
    expect([first, second, third].map((answer) => answer.body.duplicate)).toEqual([false, false, false]);
    expect(new Set([first.body.id, second.body.id, third.body.id]).size).toBe(3);
  });

  test('32 concurrent duplicates become one event', async () => {
    const answers = await Promise.all(Array.from({ length: 32 }, () => chat('all at once')));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(answers.filter((answer) => !answer.body.duplicate)).toHaveLength(1);
  });

  test('a rejected webhook does not make a later valid one a duplicate', async () => {
    const refused = await gateway.send(account, body('refused'), originalUrl, '?key=wrong');
    expect(refused.status).toBe(401);
    expect(await chat('refused')).toMatchObject({ status: 202, body: { duplicate: false } });
  });

  test('a duplicate of a failed event replays it', async () => {
    const first = await chat('will fail');
    expect((await gateway.admin.post(`/admin/events/${first.body.id}/fail`, {})).status).toBe(200);
    const again = await chat('will fail');
    expect(again.body).toMatchObject({ id: first.body.id, status: 'received', duplicate: true });
    expect(await gateway.admin.event(first.body.id)).toMatchObject({ generation: 1, delivery_status: 'pending' });
  });

  test('a duplicate of a dead event leaves it dead', async () => {
    const first = await chat('dead');
    await gateway.admin.post(`/admin/events/${first.body.id}/fail`, { dead: true });
    expect((await chat('dead')).body).toMatchObject({ id: first.body.id, status: 'dead', duplicate: true });
    expect(await gateway.admin.event(first.body.id)).toMatchObject({ generation: 0, status: 'dead' });
  });
});
