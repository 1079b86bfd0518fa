import { describe, expect, test } from 'vitest';
import { rawRequest } from '../support/raw-http.ts';
import { secretText } from '../support/secrets.ts';
import { eventsOf, everythingStored, storedEvent } from '../support/stored.ts';
import { useForAll } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const current = 'current-secret-5f1c0a';
const previous = 'previous-secret-77ab';
const wrong = 'wrong-guess-e2d9014b';
const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const gateway = useGateway({ worker: false });
const account = useForAll(() =>
  gateway.admin.createAccount({
    skip_signature_verification: false,
    signing_secret_current: current,
    signing_secret_previous: previous,
  }),
);

const post = (headers: Record<string, string>, query = '', to = account) =>
  gateway.send(to, '{"type":"order.created"}', { 'content-type': 'application/json', ...headers }, query);

/** The places of R31 where a secret may be, in their order, each with the headers and the query that carry it. */
const ways: [way: string, (secret: string) => [headers: Record<string, string>, query: string]][] = [
  ['x-webhook-secret', (secret) => [{ 'x-webhook-secret': secret }, '']],
  ['x-api-key', (secret) => [{ 'x-api-key': secret }, '']],
  ['x-secret', (secret) => [{ 'x-secret': secret }, '']],
  ['x-signature', (secret) => [{ 'x-signature': secret }, '']],
  ['Authorization: Bearer', (secret) => [{ authorization: `Bearer ${secret}` }, '']],
  ['?key=', (secret) => [{}, `?key=${encodeURIComponent(secret)}`]],
];

describe.each(ways)('%s', (_way, carry) => {
  test.each([
    ['the current secret', current],
    ['the previous secret', previous],
  ])('%s is accepted', async (_name, secret) => {
    const answer = await post(...carry(secret));
    expect(answer.status).toBe(202);
    expect((await storedEvent(gateway.database, answer.body.id))?.status).toBe('received');
  });

  test.each([
    ['a wrong secret of the same length', current.replace(/.$/, 'z')],
    ['the beginning of the secret', current.slice(0, -1)],
    ['the secret and one more character', `${current}x`],
    ['the secret in other letter case', current.toUpperCase()],
    ['both secrets in one value', `${current},${previous}`],
    ['a single character', 'c'],
  ])('%s is refused', async (_name, secret) => {
    const answer = await post(...carry(secret));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: expect.any(String),
      status: 401,
      detail: expect.any(String),
      code: 'verification_failed',
    });
    expect(JSON.stringify(answer.body)).not.toContain(secret.length > 1 ? secret : current);
  });
});

describe('several values in one request', () => {
  test.each(ways.slice(1))('%s is accepted after a wrong x-webhook-secret', async (_way, carry) => {
    const [headers, query] = carry(current);
    expect((await post({ ...headers, 'x-webhook-secret': wrong }, query)).status).toBe(202);
  });
  test.each(ways.slice(0, -1))('%s is accepted before a wrong ?key=', async (_way, carry) => {
    const [headers] = carry(current);
    expect((await post(headers, `?key=${wrong}`)).status).toBe(202);
  });
  test('several wrong values are refused', async () => {
    expect((await post({ 'x-api-key': wrong, 'x-signature': wrong }, `?key=${wrong}`)).status).toBe(401);
  });
  test('a header that is sent twice counts if one of its values matches', async () => {
    const path = `/generic/${account.account_slug}`;
    const headers = ['Host', 'x', 'X-Secret', wrong, 'X-Secret', current];
    expect((await rawRequest(gateway.baseUrl, { path, headers, body: '{}' })).status).toBe(202);
  });
});

describe('no usable secret', () => {
  test.each([
    ['nothing at all', {}, ''],
    ['an empty header', { 'x-webhook-secret': '' }, ''],
    ['an empty key', {}, '?key='],
    ['Basic credentials', { authorization: `Basic ${current}` }, ''],
    ['a bare token', { authorization: current }, ''],
    ['another parameter', {}, `?secret=${current}`],
    ['another header', { 'x-token': current }, ''],
  ])('%s is refused', async (_name, headers: Record<string, string>, query) => {
    expect((await post(headers, query)).status).toBe(401);
  });

  test.each([
    ['never set', {}],
    ['null', { signing_secret_current: null }],
    ['empty', { signing_secret_current: '', signing_secret_previous: '' }],
  ])('an account whose secret is %s rejects every webhook', async (_name, fields) => {
    const bare = await gateway.admin.createAccount({ skip_signature_verification: false, ...fields });
    expect((await post({}, '', bare)).status).toBe(401);
    expect((await post({ 'x-webhook-secret': '' }, '?key=', bare)).status).toBe(401);
    expect((await post({ 'x-webhook-secret': 'null' }, '', bare)).status).toBe(401);
    const reasons = (await eventsOf(gateway.database, bare.id)).map((e) => e.rejection_reason);
    expect(reasons).toEqual(Array(3).fill('no_secret_configured'));
  });

  test('skip_signature_verification accepts anything', async () => {
    const open = await gateway.admin.createAccount({ signing_secret_current: current });
    expect((await post({}, '', open)).status).toBe(202);
    expect((await post({ 'x-webhook-secret': wrong }, '', open)).status).toBe(202);
  });
});

test('the answer shows what was stored', async () => {
  const answer = await gateway.send(account, '{"id":"ord_1","type":"order.created"}', {
    'x-api-key': current,
  });
  expect(answer.status).toBe(202);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.body).toEqual({
    id: expect.stringMatching(uuidv7),
    status: 'received',
    external_id: 'ord_1',
    event_type: 'order.created',
    duplicate: false,
  });
  expect(await storedEvent(gateway.database, answer.body.id)).toMatchObject({
    account_id: account.id,
    provider: 'generic',
    account_slug: account.account_slug,
    app_key: 'tests',
    event_type: 'order.created',
    external_id: 'ord_1',
    status: 'received',
    delivery_status: 'pending',
    generation: 0,
    attempts: 0,
    rejection_reason: null,
  });
});

describe('event type and external id', () => {
  const generated = expect.stringMatching(/^gen-\d{13}-[0-9a-f]{16}$/);
  test.each([
    ['{"type":"a","event":"b","event_type":"c","eventType":"d","id":"1"}', 'a', '1'],
    ['{"type":7,"event":"b","eventType":"d","messageId":"2"}', 'b', '2'],
    ['{"type":null,"event_type":"c","message_id":"3"}', 'c', '3'],
    ['{"eventType":"d","eventId":4}', 'd', '4'],
    ['{"event_id":9007199254740993}', null, '9007199254740993'],
    ['{"uuid":"u","_id":"i"}', null, 'u'],
    ['{"id":"","_id":"i"}', null, 'i'],
    ['{"type":"Order/Created V2 "}', 'Order/Created V2 ', generated],
    ['[{"id":"in an array"}]', null, generated],
    ['<id>7</id>', null, generated],
    ['', null, generated],
  ])('%s', async (body, type, id) => {
    const answer = await gateway.send(account, body, { 'x-secret': current });
    expect(answer).toMatchObject({ status: 202, body: { event_type: type, external_id: id } });
    const row = await storedEvent(gateway.database, answer.body.id);
    expect([row?.event_type, row?.external_id]).toEqual([answer.body.event_type, answer.body.external_id]);
  });
});

describe('secrets', () => {
  test('right and wrong secrets of a request are neither stored nor shown', async () => {
    const own = await gateway.admin.createAccount({
      skip_signature_verification: false,
      signing_secret_current: secretText('stored-nowhere-A91'),
      signing_secret_previous: secretText('stored-nowhere-B92'),
    });
    const offered = [secretText('stored-nowhere-A91'), secretText('stored-nowhere-B92'), 'stored-nowhere-C93'];
    const answers: string[] = [];
    for (const secret of offered) {
      for (const [, carry] of ways) {
        const [headers, query] = carry(secret);
        const kept = { 'x-kept': 'kept', 'x-original-url': `https://in.test/generic/a?key=${secret}&b=1` };
        const answer = await post({ ...headers, ...kept, cookie: `session=${secret}` }, query, own);
        answers.push(JSON.stringify([answer.body, [...answer.headers]]));
      }
    }
    const events = await eventsOf(gateway.database, own.id);
    expect(events).toHaveLength(3 * ways.length);
    for (const event of events) {
      answers.push(JSON.stringify(await gateway.admin.event(event.id)));
      expect(event.headers).toContainEqual(['x-kept', 'kept']);
      expect(event.headers).toContainEqual(['x-original-url', 'https://in.test/generic/a?key=[masked]&b=1']);
      expect(event.headers).toContainEqual(['cookie', '[masked]']);
    }
    answers.push(JSON.stringify((await gateway.admin.request('GET', '/admin/events?limit=1000')).body));
    const everything = await everythingStored(gateway.database);
    expect(everything).toContain(own.account_slug);
    for (const secret of ['stored-nowhere', Buffer.from('stored-nowhere').toString('base64').slice(0, 16)]) {
      expect(answers.join('\n')).not.toContain(secret);
      expect(everything).not.toContain(secret);
    }
  });

  test('headers keep their order, case and repetitions', async () => {
    const headers = ['Host', 'in.test', 'X-One', '1', 'x-webhook-SECRET', current, 'X-ONE', '2', 'Content-Type', 'a/b'];
    const path = `/generic/${account.account_slug}`;
    const answer = await rawRequest(gateway.baseUrl, { path, headers, body: 'x' });
    const event = await gateway.admin.event(answer.body.id);
    expect(event.headers.slice(0, 5)).toEqual([
      ['Host', 'in.test'],
      ['X-One', '1'],
      ['x-webhook-SECRET', '[masked]'],
      ['X-ONE', '2'],
      ['Content-Type', 'a/b'],
    ]);
  });
});
