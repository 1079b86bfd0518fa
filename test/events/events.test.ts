import { hash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { receivedEvent } from '../support/received.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

interface Item {
  id: string;
}
const list = (query = '') => gateway.admin.request('GET', `/admin/events${query}`);
const ids = async (query: string) => {
  const { status, body } = await list(query);
  expect(status).toBe(200);
  return body.map((item: Item) => item.id);
};
/** Stores events one second apart, oldest first, and returns their ids, newest first. */
async function store(appKey: string, count: number, endMs = Date.now()): Promise<string[]> {
  const account = await gateway.admin.createAccount({});
  const receiver = new EventReceiver(gateway.database);
  const events = Array.from({ length: count }, (_, n) =>
    receivedEvent(account, { appKey, receivedAt: new Date(endMs - n * 1000) }),
  );
  await Promise.all(events.map((event) => receiver.receive(event)));
  return events.map((event) => event.id);
}

test('a list item has exactly the documented fields', async () => {
  const account = await gateway.admin.createAccount({ app_key: 'fields' });
  const { body } = await gateway.send(account, '{"id":"i","type":"t"}');
  expect((await list('?app_key=fields')).body).toEqual([
    {
      id: body.id,
      request_id: body.id,
      account_id: account.id,
      provider: 'generic',
      account_slug: account.account_slug,
      consumer: 'default',
      app_key: 'fields',
      event_type: 't',
      external_id: 'i',
      state: 'waiting',
      schedule: { made: 0, of: 10 },
      waits_for: null,
      status: 'received',
      delivery_status: 'pending',
      attempts: 0,
      last_error: null,
      response_code: null,
      generation: 0,
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      delivered_at: null,
      next_attempt_at: null,
      rejection_reason: null,
      rejection_explanation: null,
      skipped_reason: null,
      backfilled_at: null,
      bulk_job_id: null,
    },
  ]);
});

describe('filters', () => {
  const type = 'a+b & c=d % é';
  let one: Item & { account_slug: string };
  let failed: Item;
  let rejected: string;
  beforeAll(async () => {
    const a = await gateway.admin.createAccount({ app_key: 'f-one' });
    const b = await gateway.admin.createAccount({ app_key: 'f-two', provider: 'support_chat' });
    const c = await gateway.admin.createAccount({ app_key: 'f-two', skip_signature_verification: false });
    one = {
      ...(await gateway.send(a, JSON.stringify({ id: 'ext', type }))).body,
      account_slug: a.account_slug,
    };
    failed = (await gateway.send(b, '{"event":"message:send"}')).body;
    await gateway.admin.post(`/admin/events/${failed.id}/fail`, { dead: true });
    expect((await gateway.send(c, '{"id":"ext"}')).status).toBe(401);
    rejected = (await ids('?status=rejected'))[0];
  });
  const query = (fields: Record<string, string>) => `?${new URLSearchParams(fields)}`;

  test.each(['a,b', '[1]', '{"a":1}', 'true'])('the value %s is treated as text', async (value) => {
    const account = await gateway.admin.createAccount({});
    const { body } = await gateway.send(account, JSON.stringify({ id: value, type: value }));
    expect(await ids(query({ external_id: value }))).toEqual([body.id]);
    expect(await ids(query({ event_type: value }))).toEqual([body.id]);
  });

  test('work alone and combined', async () => {
    expect(await ids(query({ app_key: 'f-one' }))).toEqual([one.id]);
    expect(await ids(query({ app_key: 'f-two' }))).toEqual([rejected, failed.id]);
    expect(await ids(query({ app_key: 'f-two', provider: 'support_chat' }))).toEqual([failed.id]);
    expect(await ids(query({ event_type: type }))).toEqual([one.id]);
    expect(await ids(query({ event_type: 'chat.message' }))).toEqual([failed.id]);
    expect(await ids(query({ account_slug: one.account_slug }))).toEqual([one.id]);
    expect(await ids(query({ external_id: 'ext' }))).toEqual([rejected, one.id]);
    expect(await ids(query({ external_id: 'ext', status: 'received' }))).toEqual([one.id]);
    expect(await ids(query({ status: 'dead' }))).toEqual([failed.id]);
    expect(await ids(query({ status: 'rejected', app_key: 'f-two' }))).toEqual([rejected]);
    expect(await ids(query({ delivery_status: 'failed' }))).toEqual([failed.id]);
    expect(await ids(query({ delivery_status: 'pending', app_key: 'f-two' }))).toEqual([]);
    expect(await ids(query({ app_key: 'F-ONE' }))).toEqual([]);
    expect(await ids(query({ app_key: '' }))).toEqual([]);
    expect(await ids(query({ app_key: '%' }))).toEqual([]);
    expect(await ids(query({ app_key: "' or true --" }))).toEqual([]);
  });

  test.each(['received', 'enqueued', 'processed', 'failed', 'dead', 'rejected'])('status %s', async (status) => {
    const { body } = await list(query({ status }));
    expect(new Set(body.map((item: { status: string }) => item.status)).size).toBeLessThanOrEqual(1);
    for (const item of body) expect(item.status).toBe(status);
  });
});

test('since and until are exclusive, and the list is newest first', async () => {
  const endMs = Date.parse('2026-03-01T12:00:00.500Z');
  const [newest, middle, oldest] = await store('times', 3, endMs);
  const at = (n: number) => encodeURIComponent(new Date(endMs - n * 1000).toISOString());
  const found = (query: string) => ids(`?app_key=times${query}`);
  expect(await found('')).toEqual([newest, middle, oldest]);
  expect(await found(`&since=${at(2)}`)).toEqual([newest, middle]);
  expect(await found(`&until=${at(0)}`)).toEqual([middle, oldest]);
  expect(await found(`&since=${at(2)}&until=${at(0)}`)).toEqual([middle]);
  expect(await found('&since=2026-03-01T13:00:00%2B01:00&until=2026-03-01T14:00:00%2B02:00')).toEqual([]);
  expect(await found('&since=2026-03-01T12:59:59.999%2B01:00')).toEqual([newest]);
  expect(await found('&since=2026-03-01&until=2026-03-02')).toEqual([newest, middle, oldest]);
  expect(await found('&since=2026-03-02')).toEqual([]);
});

describe('pages', () => {
  test.each([1, 3, 4, 12, 13, 1000])('of %i events, by their links, contain every event once', async (limit) => {
    const appKey = `pages & ${limit}`;
    const stored = await store(appKey, 12);
    const walked: string[] = [];
    let path: string | undefined = `/admin/events?${new URLSearchParams({ app_key: appKey, limit: String(limit) })}`;
    for (let page = 0; path !== undefined; page++) {
      expect(page).toBeLessThan(20);
      const answer = await gateway.admin.request('GET', path);
      expect(answer.status).toBe(200);
      expect(answer.body.length).toBeLessThanOrEqual(limit);
      walked.push(...answer.body.map((item: Item) => item.id));
      path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      // Events that arrive between two requests do not shift the pages.
      if (page === 0) await store(appKey, 1, Date.now() + 60_000);
    }
    expect(walked).toEqual(stored);
  });
  test('by offset', async () => {
    const stored = await store('offsets', 5);
    expect(await ids('?app_key=offsets&limit=2&offset=1')).toEqual(stored.slice(1, 3));
    expect(await ids('?app_key=offsets&offset=4')).toEqual(stored.slice(4));
    expect(await ids('?app_key=offsets&offset=5')).toEqual([]);
    const { headers } = await list('?app_key=offsets&limit=2&offset=1');
    expect(headers.get('link')).toBe(`</admin/events?app_key=offsets&limit=2&before=${stored[2]}>; rel="next"`);
  });
  test('have 100 events by default, and 1,000 at most', async () => {
    const stored = await store('many', 1001);
    expect(await ids('?app_key=many')).toEqual(stored.slice(0, 100));
    expect(await ids('?app_key=many&limit=1000')).toEqual(stored.slice(0, 1000));
    expect(await ids('?app_key=many&limit=1')).toEqual(stored.slice(0, 1));
  });
});

const wholeNumber = 'must be a whole number';
const isoTime = 'must be an ISO 8601 time such as 2026-11-20T10:00:00Z';
test.each([
  ['limit=0', 'limit', 'must be between 1 and 1000'],
  ['limit=1001', 'limit', 'must be between 1 and 1000'],
  ['limit=-1', 'limit', 'must be between 1 and 1000'],
  ['limit=abc', 'limit', wholeNumber],
  ['limit=1.5', 'limit', wholeNumber],
  ['limit=1e2', 'limit', wholeNumber],
  ['limit=', 'limit', wholeNumber],
  ['limit=%00', 'limit', wholeNumber],
  ['limit=99999999999999999999', 'limit', wholeNumber],
  ['limit=1&limit=2', 'limit', 'must be one text, not a list'],
  ['offset=-1', 'offset', 'must be between 0 and 1000000000'],
  ['offset=x', 'offset', wholeNumber],
  ['status=pending', 'status', 'must be one of: received, enqueued, processed, failed, dead, rejected'],
  ['status=', 'status', 'must be one of: received, enqueued, processed, failed, dead, rejected'],
  ['delivery_status=retrying', 'delivery_status', 'must be one of: pending, delivered, failed'],
  ['since=yesterday', 'since', isoTime],
  ['since=2026-02-30', 'since', isoTime],
  ['since=2026-11-20T10:00:00', 'since', isoTime],
  ['until=1795218005', 'until', isoTime],
  ['until=', 'until', isoTime],
  ['before=x', 'before', 'must be an id'],
  ['before=', 'before', 'must be an id'],
  ['app_key=a%00b', 'app_key', 'must not contain NUL characters or lone surrogates'],
  ['provider=%00', 'provider', 'must not contain NUL characters or lone surrogates'],
  ['event_type=%00', 'event_type', 'must not contain NUL characters or lone surrogates'],
  ['account_slug=%00', 'account_slug', 'must not contain NUL characters or lone surrogates'],
  ['external_id=%00', 'external_id', 'must not contain NUL characters or lone surrogates'],
  [`external_id=${'x'.repeat(501)}`, 'external_id', 'must have 500 characters or fewer'],
  ['page=1', 'page', 'is not a known field'],
])('%s is 422', async (query, path, message) => {
  const answer = await list(`?${query}`);
  expect(answer).toMatchObject({ status: 422, body: { code: 'invalid', detail: `${path}: ${message}` } });
  expect(answer.body.errors).toEqual([{ path, message }]);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
});

describe('one event', () => {
  test.each<[name: string, body: string | Uint8Array<ArrayBuffer>, payload: unknown]>([
    ['JSON', ' {"b":1.50,"a":[null]} ', { b: 1.5, a: [null] }],
    ['a JSON text', '"x"', 'x'],
    ['a JSON number', '0', 0],
    ['a form', 'a=1&b=2', 'a=1&b=2'],
    ['broken JSON', '{"a":', '{"a":'],
    ['nothing', '', ''],
    ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22]), { base64: 'Iv8i' }],
    ['bytes', new Uint8Array([0, 1, 254, 255]), { base64: 'AAH+/w==' }],
    ['nested JSON', `${'['.repeat(400)}${']'.repeat(400)}`, JSON.parse(`${'['.repeat(400)}${']'.repeat(400)}`)],
    ['JSON of over 500 levels', `${'['.repeat(501)}${']'.repeat(501)}`, `${'['.repeat(501)}${']'.repeat(501)}`],
    ['null', 'null', null],
  ])('shows %s', async (_name, bytes, payload) => {
    const account = await gateway.admin.createAccount({});
    const { body } = await gateway.send(account, bytes, { 'content-type': 'a/b', 'x-api-key': 'offered' });
    const event = await gateway.admin.event(body.id);
    const [item] = (await list(`?account_slug=${account.account_slug}`)).body;
    const { payload: shown, headers, ...others } = event;
    const { payload_bytes, payload_sha256, payload_truncated, headers_truncated, ...rest } = others;
    expect(payload_bytes).toBe(Buffer.byteLength(bytes));
    expect(payload_sha256).toBe(hash('sha256', bytes));
    expect([payload_truncated, headers_truncated]).toEqual([false, false]);
    expect(shown).toEqual(payload);
    expect(headers).toContainEqual(['content-type', 'a/b']);
    expect(headers).toContainEqual(['x-api-key', '[masked]']);
    expect(rest).toEqual({
      ...item,
      siblings: [],
      ...{ rejection_check: null, rejected_event_id: null },
      unmatched: [],
      delivery_history: [],
      notifications: [],
      ...{ actions: [], pauses: [], workflow: null },
    });
  });

  test.each(['01900000-0000-7000-8000-000000000000', 'nope', '%00', '%', 'null', "'"])('%s is 404', async (id) => {
    const answer = await gateway.admin.request('GET', `/admin/events/${id}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', status: 404 } });
  });
});
