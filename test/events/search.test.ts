import { expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { ensurePartitions, partitionName } from '../../src/database/partitions.ts';
import type { Sql } from '../../src/database/sql.ts';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { searchPayloads } from '../../src/events/search/scan-payloads.ts';
import { auditTrail } from '../support/audit-trail.ts';
import { highestOfMs, insertConsumer, insertSibling, lowestOfMs } from '../support/consumers.ts';
import { receivedEvent } from '../support/received.ts';
import { useClient, useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const client = useClient(gateway);

/** Stores events with these bodies, oldest first, in an account of their own. They were received just before `at`. */
async function stored(bodies: (string | Buffer)[], slug: string, at = new Date()): Promise<string[]> {
  const account = await gateway.admin.createAccount({ account_slug: slug });
  const receiver = new EventReceiver(gateway.database);
  const ids: string[] = [];
  // Each in a millisecond of its own: within one, ids have no order.
  const firstMs = at.getTime() - bodies.length;
  for (const [n, body] of bodies.entries()) {
    const receivedAt = new Date(firstMs + n);
    const event = receivedEvent(account, { body: Buffer.from(body), accountSlug: slug, receivedAt });
    expect(await receiver.receive(event)).toEqual({ kind: 'stored' });
    ids.push(event.id);
  }
  return ids;
}

const search = (body: object) => gateway.admin.post('/admin/events/search', body);

/** A page. What takes longer than the time limit of a search, as on a slow machine, is left for further ones. */
async function pageOf(wanted: { limit?: number; before?: string; [filter: string]: unknown }) {
  const { limit = 20 } = wanted;
  const answer = await search(wanted);
  expect(answer.status).toBe(200);
  const { body } = answer;
  while (body.stopped === 'scanned') {
    const more = await search({ ...wanted, limit: limit - body.events.length, before: body.next });
    expect(more.status).toBe(200);
    const { events, scanned, stopped, next } = more.body;
    body.events.push(...events);
    body.scanned.events += scanned.events;
    body.scanned.bytes += scanned.bytes;
    body.scanned.from = scanned.from ?? body.scanned.from;
    Object.assign(body, { stopped, next });
  }
  return body;
}

test.each([
  ['a part of JSON', '{"order":"A-4711"}', '4711', true],
  ['ASCII letters in the other case', '{"Customer":"GRETA"}', 'customer":"greta', true],
  ['the same umlaut', 'grün', 'GRüN', true],
  ['an umlaut in the other case', 'grün', 'GRÜN', false],
  ['digits of an escaped byte', 'ü', '303', false],
  ['a backslash and a wildcard', 'a\\b%c', '\\B%', true],
  ['a wildcard that is none', 'abc', 'a%c', false],
  ['text between bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x41, 0x62, 0x80]), 'ab', true],
  ['text next to NUL, in the same case', Buffer.from('\0Order\0'), 'Order', true],
  ['text next to NUL, in the other case', Buffer.from('\0Order\0'), 'order', false],
  ['an empty body', '', 'a', false],
  ['a megabyte on one line', `${'x'.repeat(1024 * 1024)}needle`, 'NEEDLE', true],
])('%s', async (name, body, text, found) => {
  const slug = name.replaceAll(/\W/g, '-');
  const ids = await stored([body], slug);
  expect(await pageOf({ text, account_slug: slug })).toMatchObject({
    ...{ scanned: { events: 1, bytes: Buffer.from(body).length }, stopped: 'end', next: null },
    events: found ? [{ id: ids[0], account_slug: slug }] : [],
  });
});

test('pages continue where the page before ended, and name what was read', async () => {
  const ids = await stored(['hit 1', 'miss', 'hit 2', 'hit 3', 'miss'], 'pages');
  const wanted = { text: 'hit', account_slug: 'pages', limit: 2 };
  const first = await pageOf(wanted);
  expect(first.events.map(({ id }: { id: string }) => id)).toEqual([ids[3], ids[2]]);
  expect(first).toMatchObject({ scanned: { events: 3 }, stopped: 'found', next: ids[2] });
  const second = await pageOf({ ...wanted, before: first.next });
  expect(second).toMatchObject({ events: [{ id: ids[0] }], scanned: { events: 2 }, stopped: 'end', next: null });
  expect(new Date(second.scanned.from).getTime()).toBeLessThanOrEqual(new Date(second.scanned.to).getTime());
});

test('pending events, which two indexes list, are read once', async () => {
  const ids = await stored(['one', 'one'], 'pending');
  await gateway.rows('update events set next_attempt_at = now() where id = $1', [ids[0]]);
  const page = await pageOf({ text: 'one', account_slug: 'pending', delivery_status: 'pending' });
  expect(page).toMatchObject({ events: [{ id: ids[1] }, { id: ids[0] }], scanned: { events: 2 } });
});

test('each event of a webhook is found by its body, on whichever page and with whichever id', async () => {
  const [id = ''] = await stored(['{"a":"needle"}'], 'siblings');
  const [account] = await gateway.rows('select account_id from events where id = $1', [id]);
  const consumerId = await insertConsumer(gateway.database, { accountId: account?.account_id, name: 'search' });
  for (const sibling of [lowestOfMs(id), highestOfMs(id)])
    await insertSibling(gateway.database, id, { id: sibling, consumerId });
  const found: string[] = [];
  for (let before: string | undefined; ; ) {
    const { body } = await search({ text: 'needle', account_slug: 'siblings', limit: 1, before });
    found.push(...body.events.map((event: { id: string }) => event.id));
    if (body.stopped === 'end') break;
    before = body.next;
  }
  expect(found).toEqual([highestOfMs(id), id, lowestOfMs(id)]);
  const ofConsumer = await pageOf({ text: 'needle', consumer: 'search' });
  expect(ofConsumer.events).toMatchObject([{ id: highestOfMs(id) }, { id: lowestOfMs(id), request_id: id }]);
  expect((await pageOf({ text: 'needle', consumer: 'no-such-consumer' })).events).toEqual([]);
});

test('nothing matches the filters: nothing was read', async () => {
  const answer = await search({ text: 'a', account_slug: 'no-such-account' });
  expect(answer.body).toEqual({
    ...{ events: [], scanned: { events: 0, bytes: 0, from: null, to: null }, stopped: 'end', next: null },
  });
});

test('a day that cannot be read in time is left for the next search, also when nothing was found before it', async () => {
  const dayMs = 86_400_000;
  const today = Math.floor(Date.now() / dayMs);
  const at = new Date((today - 4) * dayMs + dayMs / 2);
  await ensurePartitions(gateway.database, at, 0);
  const [id] = await stored(['of an old day'], 'old-day', at);
  const wanted = { text: 'of an old day', until: new Date((today - 1) * dayMs).toISOString() };
  const passed = await client.query('begin').then(async () => {
    try {
      await client.query(`lock table ${partitionName('events', at)} in access exclusive mode`);
      return await search(wanted);
    } finally {
      await client.query('rollback');
    }
  });
  expect(passed).toMatchObject({
    status: 200,
    body: { events: [], scanned: { events: 0 }, stopped: 'scanned', next: expect.any(String) },
  });
  const found = await pageOf({ ...wanted, before: passed.body.next });
  expect(found).toMatchObject({ events: [{ id }], stopped: 'end', next: null });
});

test('bytes beyond the limit of one search are left for the next one', async () => {
  const bodies = Array.from({ length: 70 }, () => Buffer.alloc(1024 * 1024, 'x'));
  const ids = await stored(['the oldest', ...bodies], 'large');
  const found: string[] = [];
  let searches = 0;
  let scanned = 0;
  for (let before: string | undefined; ; searches += 1) {
    const { body } = await search({ text: 'oldest', account_slug: 'large', before });
    found.push(...body.events.map(({ id }: { id: string }) => id));
    scanned += body.scanned.events;
    expect(body.scanned.bytes).toBeLessThan(80 * 1024 * 1024);
    if (body.stopped === 'end') break;
    expect(body).toMatchObject({ stopped: 'scanned', events: [] });
    before = body.next;
  }
  expect([found, scanned, searches > 0]).toEqual([[ids[0]], 71, true]);
});

test('the audit entry has the filters but not the text', async () => {
  const entries = auditTrail(gateway.database);
  await entries();
  await search({ text: 'do-not-keep', provider: 'generic', since: '2026-01-01' });
  const left = await entries();
  expect(left).toMatchObject([
    { action: 'event.search', details: { status: 200, query: { provider: 'generic', since: expect.any(String) } } },
  ]);
  expect(JSON.stringify(left)).not.toContain('do-not-keep');
});

test.each<[object, string, string]>([
  [{}, 'text', 'is required'],
  [{ text: '' }, 'text', 'must not be empty'],
  [{ text: 'x'.repeat(201) }, 'text', 'must have 200 characters or fewer'],
  [{ text: '\0' }, 'text', 'must not contain NUL characters or lone surrogates'],
  [{ text: 'a', limit: 101 }, 'limit', 'must be 100 or less'],
  [{ text: 'a', before: 'x' }, 'before', 'must be an id'],
  [{ text: 'a', offset: 1 }, 'offset', 'is not a known field'],
])('refused: %j', async (body, path, message) => {
  const answer = await search(body);
  expect(answer).toMatchObject({ status: 422, body: { code: 'invalid' } });
  expect(answer.body.errors).toEqual([{ path, message }]);
});

test('the typed client finds events', async () => {
  const [id] = await stored(['typed client'], 'typed');
  const admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
  const { data } = await admin.events.search.post({ text: 'typed client' });
  expect(data?.events.map((event) => event.id)).toEqual([id]);
});

test('a search whose client leaves during its last statement has no result', async () => {
  await stored(['the last statement'], 'left');
  const { reader } = gateway.database;
  const gone = new AbortController();
  const slices: Sql = {
    async query(...asked) {
      const rows = await reader.query<never>(...asked);
      gone.abort(new Error('the client has gone'));
      return rows;
    },
  };
  const search = { text: 'the last statement', account_slug: 'left', limit: 1, signal: gone.signal };
  await expect(searchPayloads({ reader, slices }, search)).rejects.toThrow('the client has gone');
});
