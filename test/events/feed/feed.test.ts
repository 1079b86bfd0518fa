import { describe, expect, test } from 'vitest';
import { createAdminClient } from '../../../src/api/client.ts';
import { dayMs } from '../../../src/database/uuid-time.ts';
import { heldBackSince } from '../../../src/events/feed/feed-state.ts';
import { dropDay } from '../../../src/maintenance/retention/drop-day.ts';
import { auditTrail } from '../../support/audit-trail.ts';
import { insertConsumer, insertSibling, lowestOfMs } from '../../support/consumers.ts';
import { untilAllInFeed } from '../../support/in-feed.ts';
import { operatorOf } from '../../support/operator.ts';
import { receivedEvent, rejectedEvent, rejectionRecorder } from '../../support/received.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../../support/use-gateway.ts';
import { idsIn, readersOf, waiting } from './readers-of.ts';

const gateway = useGateway({ worker: false, maxPayloadBytes: 8 * 1024 * 1024, droppedHeaders: ['x-user'] });

const { feed, begun } = readersOf(gateway);

describe('an answer', () => {
  test('has the event as the list has it, the stored headers, and the bytes', async () => {
    const { account, query, next, cursor } = await begun();
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    const sent = await gateway.send(account, bytes, { 'content-type': 'application/json', 'x-a': 'b' });
    const before = cursor();
    await next(1);
    const { body } = await feed(`${query}&cursor=${before}`);
    const shown = await gateway.admin.event(sent.body.id);
    const listed = await gateway.admin.request('GET', `/admin/events?account_slug=${account.account_slug}`);
    expect(body).toEqual({
      data: [{ event: listed.body[0], headers: shown.headers, body: bytes.toString('base64') }],
      cursor: expect.stringMatching(/^[\w-]+$/),
      done: true,
      dropped_headers: ['x-user'],
    });
    expect(shown.headers).toContainEqual(['x-a', 'b']);
  });

  test('has at most `limit` events, and says whether there are more', async () => {
    const { received, query, cursor, next } = await begun();
    for (let n = 0; n < 3; n++) await received();
    const before = cursor();
    await next(3);
    const { body } = await feed(`${query}&cursor=${before}&limit=2`);
    expect([body.data.length, body.done]).toEqual([2, false]);
    const rest = (await feed(`${query}&cursor=${body.cursor}&limit=1`)).body;
    expect([rest.data.length, rest.done]).toEqual([1, true]);
  });

  test('has at most 4 MiB, or one event', async () => {
    const { account, received } = await begun();
    const mib = 1024 * 1024;
    for (const [n, size] of [3, 1, 1, 1, 5].entries()) await received({ body: Buffer.alloc(size * mib, n) });
    await untilAllInFeed(gateway.database);
    const sizes: number[][] = [];
    let at = '&since=1m';
    await until('all five events were read', async () => {
      const { body } = await feed(`account=${account.id}${at}`);
      const page = body.data.map((item: { body: string }) => Buffer.byteLength(item.body, 'base64') / mib);
      if (page.length > 1) expect(JSON.stringify(body).length).toBeLessThanOrEqual(4 * mib);
      if (page.length > 0) sizes.push(page);
      at = `&cursor=${body.cursor}`;
      return sizes.flat().length === 5;
    });
    // 3 MiB are 4 MiB in Base64, and two of 1 MiB fit into a page.
    expect(sizes).toEqual([[3], [1, 1], [1], [5]]);
  });

  test('comes to the typed client, also for several accounts and types', async () => {
    const one = await begun();
    const two = await begun();
    const wanted = [await one.received({ eventType: 'a' }), await two.received({ eventType: 'b' })];
    await one.received({ eventType: 'c' });
    await Promise.all([one.next(2), two.next(1)]);
    const admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
    const account = [`generic/${one.account.account_slug}`, two.account.id.toUpperCase()];
    const { data, error } = await admin.feed.get({
      query: { account, event_type: ['a', 'b'], since: '1h', wait: '1s' },
    });
    expect(error).toBeNull();
    expect(data?.data.map(({ event }) => event.id)).toEqual(wanted);
  });
});

describe('an event appears', () => {
  test('once, when it is stored; no later change brings it back', async () => {
    const { received, next, rest } = await begun();
    const id = await received();
    expect(await next(1)).toEqual([id]);
    await operatorOf(gateway.admin).ack(id);
    expect((await gateway.admin.post(`/admin/events/${id}/replay`)).status).toBe(202);
    await gateway.rows(`update events set last_error = repeat('x', 5000) where id = $1`, [id]);
    expect(await rest()).toEqual([]);
  });

  test('for each consumer that gets the webhook, also by a backfill; a filter gives those of one', async () => {
    const { account, query, received, next, cursor, rest } = await begun();
    const consumerId = await insertConsumer(gateway.database, { accountId: account.id, name: 'billing' });
    const before = cursor();
    const first = await received({ receivedAt: new Date(Date.now() - 60_000) });
    const other = await received();
    const sibling = await insertSibling(gateway.database, first, {
      ...{ id: lowestOfMs(first), consumerId, backfilledAt: new Date() },
    });
    // In the order in which they were stored.
    expect(await next(3)).toEqual([first, other, sibling]);
    expect(await rest()).toEqual([]);
    const { data } = (await feed(`${query}&cursor=${before}&consumer=billing`)).body;
    expect(data).toMatchObject([{ event: { id: sibling, request_id: first, consumer: 'billing' }, body: 'Ym9keQ==' }]);
    expect(idsIn((await feed(`${query}&cursor=${before}&consumer=default&event_type=`)).body)).toEqual([]);
    expect(idsIn((await feed(`${query}&cursor=${before}&consumer=none`)).body)).toEqual([]);
  });

  test('unless it is a duplicate, was rejected, or no consumer gets it', async () => {
    const { account, rest } = await begun('', { delivery_url: 'http://127.0.0.1:9/' });
    const rejected = rejectedEvent(account);
    await rejectionRecorder(gateway.database).record(account.id, () => rejected);
    await until(
      'it is stored',
      async () => (await gateway.rows('select 1 from events where id = $1', [rejected.id])).length,
    );
    const disabled = { enabled: false };
    await gateway.admin.request('PATCH', `/admin/accounts/${account.id}/consumers/default`, disabled);
    const skipped = await gateway.send(account, '{"id":"skipped"}');
    expect((await gateway.admin.event(skipped.body.id)).skipped_reason).toBe('no_consumer_matched');
    await gateway.admin.request('PATCH', `/admin/accounts/${account.id}/consumers/default`, { enabled: true });
    const stored = await gateway.send(account, '{"id":"twice"}');
    await gateway.send(account, '{"id":"twice"}');
    await gateway.rows('update accounts set consumers_revision = 0 where id = $1', [account.id]);
    expect(await rest()).toEqual([stored.body.id]);
  });

  test('after every event that may come before it: an open transaction holds it back', async () => {
    const { account, received, query, cursor, next } = await begun();
    const client = await gateway.database.pool.connect();
    const late = receivedEvent(account);
    try {
      await client.query('begin');
      await client.query(
        `insert into events (id, account_id, provider, account_slug, app_key, external_id, status, delivery_status, generation_at, received_at)
         values ($1, $2, 'generic', 'slug', 'tests', 'late', 'received', 'pending', now(), now())`,
        [late.id, account.id],
      );
      await client.query(`insert into event_payloads (event_id, headers, body) values ($1, '[]', '')`, [late.id]);
      const id = await received();
      expect((await feed(`${query}&cursor=${cursor()}`)).body).toMatchObject({ data: [], done: true });
      expect((await heldBackSince(gateway.database.reader))?.getTime()).toBeLessThanOrEqual(Date.now());
      await client.query('commit');
      expect(await next(2)).toEqual([late.id, id]);
    } finally {
      client.release();
    }
  });
});

describe('a reader', () => {
  test('that waits gets an event of its account at once, and an empty answer at the end of the wait', async () => {
    const { account, query, cursor } = await begun();
    const other = await gateway.admin.createAccount({});
    const waiting = feed(`${query}&cursor=${cursor()}&wait=30s`);
    await gateway.send(other, '{"id":"other"}');
    const sent = await gateway.send(account, '{"id":"mine"}');
    const { body } = await waiting;
    expect([idsIn(body), body.done]).toEqual([[sent.body.id], true]);
    const empty = await feed(`${query}&cursor=${body.cursor}&wait=1s`);
    expect(empty.body).toMatchObject({ data: [], done: true });
  });

  test('begins at a time or a duration back, or now', async () => {
    const { account, received, next } = await begun();
    const at = (ms: number) => received({ receivedAt: new Date(Date.now() - ms) });
    const [old, recent] = [await at(3 * 3_600_000), await at(60_000)];
    await next(2);
    const slug = `generic/${account.account_slug}`;
    const from = async (since: string) =>
      idsIn((await feed(`account=${slug}&since=${encodeURIComponent(since)}`)).body);
    expect(await from('1d')).toEqual([old, recent]);
    expect(await from('2000-01-01')).toEqual([old, recent]);
    expect(await from('999999d')).toEqual([old, recent]);
    expect(await from('0001-01-01')).toEqual([old, recent]);
    expect(await from('2999-01-01T00:00:00+02:00')).toEqual([]);
    expect(idsIn((await feed(`account=${slug}`)).body)).toEqual([]);
  });

  test.each([
    ['since=yesterday', 422],
    ['wait=31s', 422],
    ['limit=1001', 422],
    ['account=generic/none', 404],
    ['account=01a1fb5c-32dd-7658-a59f-f1f2e11f4782', 404],
    ['cursor=AQ', 410],
    ['cursor=', 410],
  ])('with %s is answered %i', async (query, status) => {
    expect((await feed(query)).status).toBe(status);
  });

  test('whose next events were dropped gets 410 with the oldest that is left; one that has them goes on', async () => {
    const day = new Date(Math.floor(Date.now() / dayMs - 40) * dayMs);
    const { account, received, query, cursor, next } = await begun();
    const old = await received({ receivedAt: new Date(day.getTime() + 1_000), eventType: 'old' });
    const before = cursor();
    await next(1);
    const between = cursor();
    const kept = await received();
    await next(1);
    await gateway.rows('delete from event_queue where event_id = $1', [old]);
    await gateway.rows(`update events set status = 'processed', delivery_status = 'delivered' where id = $1`, [old]);
    await gateway.rows('delete from event_dedup');
    expect(await dropDay(gateway.database, day)).toMatchObject({ kind: 'dropped' });
    const { status, body } = await feed(`${query}&cursor=${before}`);
    expect([status, body.code]).toEqual([410, 'cursor_expired']);
    const again = await feed(`account=${account.id}&since=${body.oldest}`);
    expect(idsIn(again.body)).toEqual([kept]);
    expect(idsIn((await feed(`${query}&cursor=${between}`)).body)).toEqual([kept]);
    expect((await feed(`${query}&cursor=${again.body.cursor}`)).status).toBe(200);
  });

  test('that cuts its calls leaves one entry in the audit log', async () => {
    const { query, cursor } = await begun();
    const fresh = auditTrail(gateway.database);
    await fresh();
    for (let n = 0; n < 3; n++) {
      const cut = new AbortController();
      const call = fetch(`${gateway.baseUrl}/admin/feed?${query}&cursor=${cursor()}&event_type=cut&wait=30s`, {
        ...{ headers: { 'x-admin-token': gateway.adminToken }, signal: cut.signal },
      });
      await Promise.all([waiting(gateway, new Date()).then(() => cut.abort()), expect(call).rejects.toThrow('abort')]);
    }
    await feed(`${query}&cursor=${cursor()}&event_type=cut`);
    expect(await fresh()).toMatchObject([{ action: 'event.feed', details: { status: 200 } }]);
  });

  test('leaves one entry in the audit log, also if it calls again', async () => {
    const fresh = auditTrail(gateway.database);
    await fresh();
    const { account, query, received, next } = await begun('&event_type=a');
    await received({ eventType: 'a' });
    await next(1);
    await feed(query.replace('=a', '=b'));
    await feed(`${query}&limit=0`);
    const entries = (await fresh()).filter(({ action }) => action === 'event.feed');
    const filters = { account: [account.id], event_type: ['a'] };
    // Of the first calls of `begun` and of `next` there is one.
    expect(entries.map(({ details }) => details)).toMatchObject([
      { query: filters },
      { query: { ...filters, event_type: ['b'] } },
      { status: 422 },
    ]);
  });
});
