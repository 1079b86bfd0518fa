import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAdminClient } from '../../../src/api/client.ts';
import { dayMs } from '../../../src/database/uuid-time.ts';
import { EventReceiver } from '../../../src/events/event-receiver.ts';
import { OutcomeRecorder } from '../../../src/events/transitions/attempt-recorded.ts';
import { highestOfMs, insertConsumer } from '../../support/consumers.ts';
import { type OpenStream, openStream } from '../../support/event-stream.ts';
import { operatorOf } from '../../support/operator.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { outcomeOf, receivedEvent } from '../../support/received.ts';
import { until } from '../../support/until.ts';
import { useForAll } from '../../support/use.ts';
import { useGateway } from '../../support/use-gateway.ts';

let receiver: EventReceiver;
const streams: OpenStream[] = [];
const gateway = useGateway({ worker: false });
const account = useForAll(() => gateway.admin.createAccount({}));
beforeAll(async () => {
  receiver = new EventReceiver(gateway.database);
});
afterEach(async () => {
  await Promise.all(streams.splice(0).map((stream) => stream.close()));
});

async function opened(options: { query?: string; lastId?: string } = {}): Promise<OpenStream> {
  const stream = await openStream(gateway, options);
  streams.push(stream);
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  return stream;
}

async function received(fields: Parameters<typeof receivedEvent>[1] = {}) {
  const event = receivedEvent(account, fields);
  expect(await receiver.receive(event)).toEqual({ kind: 'stored' });
  return event;
}

const attempted = (eventId: string, succeeded: boolean) =>
  new OutcomeRecorder(gateway.database, async () => undefined).record(outcomeOf(eventId, { succeeded }));

const stateOf = (id: string, delivery_status: string, attempts: number) => (message: OpenStream['messages'][number]) =>
  message.event === 'event' &&
  message.data.id === id &&
  message.data.delivery_status === delivery_status &&
  message.data.attempts === attempts;

describe('what is reported', () => {
  test('a new event and each change of it, as the list has it', async () => {
    const stream = await opened();
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(stream.messages[0]).toEqual({ event: 'ready', data: { resumed: false } });
    expect(stream.text()).toContain('retry: 2000\n');
    const { id } = await received();
    await stream.next('the new event', stateOf(id, 'pending', 0));
    await attempted(id, false);
    await stream.next('the failed attempt', stateOf(id, 'pending', 1));
    await operatorOf(gateway.admin).ack(id);
    const { data } = await stream.next('the ack', stateOf(id, 'delivered', 1));
    const listed = await gateway.admin.request('GET', '/admin/events?limit=1');
    expect(data).toEqual(listed.body[0]);
  });

  test('an event that is committed long after later ones', async () => {
    const stream = await opened();
    const late = receivedEvent(account, { receivedAt: new Date(Date.now() - 20_000) });
    const client = await gateway.database.pool.connect();
    try {
      await client.query('begin');
      await client.query(
        `insert into events (id, account_id, provider, account_slug, app_key, external_id, status, delivery_status, generation_at, received_at)
         values ($1, $2, 'generic', 'slug', 'tests', 'late', 'received', 'pending', now(), now())`,
        [late.id, account.id],
      );
      const { id } = await received();
      await stream.next('the later event', stateOf(id, 'pending', 0));
      const second = await received();
      await stream.next('the next one', stateOf(second.id, 'pending', 0));
      expect(stream.events().map((event) => event.id)).not.toContain(late.id);
      await client.query('commit');
    } finally {
      client.release();
    }
    await stream.next('the late event', stateOf(late.id, 'pending', 0));
  });

  test('commands on an old event, and a retry of it', async () => {
    const old = await received({ receivedAt: new Date(Date.now() - dayMs) });
    const due = await received({ receivedAt: new Date(Date.now() - 3_600_000) });
    await gateway.rows(`update events set next_attempt_at = now() where id = $1`, [due.id]);
    await gateway.rows(`delete from event_queue where event_id = any($1)`, [[old.id, due.id]]);
    const stream = await opened();
    // The due event is watched after the first read, which reports this one.
    const next = await received();
    await stream.next('the next event', stateOf(next.id, 'pending', 0));
    await operatorOf(gateway.admin).ack(old.id);
    await stream.next('the ack', stateOf(old.id, 'delivered', 0));
    await attempted(due.id, false);
    await stream.next('the retry', stateOf(due.id, 'pending', 1));
  });

  test('an operation on many events makes clients load the list again', async () => {
    const stream = await opened();
    await gateway.admin.post('/admin/events/replay-failed?app_key=none');
    expect((await stream.next('a reset', ({ event }) => event === 'reset')).data).toEqual({ reason: 'bulk_operation' });
  });

  test('the deletion of a consumer, which ends its events, makes clients load the list again', async () => {
    const { id } = await gateway.admin.createAccount({});
    await insertConsumer(gateway.database, { accountId: id, name: 'gone' });
    const stream = await opened();
    expect((await gateway.admin.request('DELETE', `/admin/accounts/${id}/consumers/gone`)).status).toBe(204);
    expect((await stream.next('a reset', ({ event }) => event === 'reset')).data).toEqual({ reason: 'bulk_operation' });
  });

  test.each(['$EVENT_ID', '0', '-1'])('events after a call with the wrong id %s', async (wrong) => {
    const stream = await opened();
    expect((await gateway.admin.request('POST', `/admin/events/${wrong}/ack`)).status).toBe(404);
    const { id } = await received();
    await stream.next('the event', stateOf(id, 'pending', 0));
  });

  test('calls that change nothing do not make clients load the list again', async () => {
    const stream = await opened();
    const orders = '/admin/events/bulk';
    expect(
      (await gateway.admin.request('POST', orders, { action: 'replay', filter: { app_key: 'none' }, dry_run: true }))
        .status,
    ).toBe(200);
    expect((await gateway.admin.request('POST', orders, { action: 'nothing' })).status).toBe(422);
    const { id } = await received();
    await stream.next('the event', stateOf(id, 'pending', 0));
    expect(stream.messages.map(({ event }) => event)).not.toContain('reset');
  });
});

describe('filters', () => {
  test('only matching events are reported, and those that no longer match', async () => {
    const only = await opened({ query: '?provider=generic&app_key=shop%2Cother&delivery_status=pending' });
    const all = await opened();
    const other = await received({ appKey: 'tests' });
    const { id } = await received({ appKey: 'shop,other' });
    await only.next('the matching event', stateOf(id, 'pending', 0));
    await attempted(id, true);
    await only.next('it no longer matches', ({ event, data }) => event === 'unmatched' && data.id === id);
    await all.next('the change', stateOf(id, 'delivered', 1));
    await all.next('the other event', stateOf(other.id, 'pending', 0));
    expect(only.events().map((event) => event.id)).toEqual([id]);
  });

  test.each([
    ['external_id', (value: string) => ({ externalId: value })],
    ['event_type', (value: string) => ({ eventType: value })],
    ['account_slug', (value: string) => ({ accountSlug: value })],
  ] as const)('%s', async (name, fieldsOf) => {
    const stream = await opened({ query: `?${name}=wanted&since=2020-01-01&until=2100-01-01T00:00:00Z` });
    await received(fieldsOf('other'));
    const { id } = await received(fieldsOf('wanted'));
    await stream.next('the event', stateOf(id, 'pending', 0));
    expect(stream.events().map((event) => event.id)).toEqual([id]);
  });

  test('by state: an event is reported when it begins to match, and when it no longer does', async () => {
    const stream = await opened({ query: '?state=retrying&app_key=states' });
    const { id } = await received({ appKey: 'states' });
    await attempted(id, false);
    const { data } = await stream.next('the event is retried', stateOf(id, 'pending', 1));
    expect(data).toMatchObject({ state: 'retrying', schedule: { made: 1, of: 10 }, waits_for: null });
    await operatorOf(gateway.admin).ack(id);
    await stream.next('it no longer matches', ({ event, data }) => event === 'unmatched' && data.id === id);
    expect(stream.events()).toHaveLength(1);
  });

  test('by job: an event is reported when the job has changed it, and when a later one has', async () => {
    const [job, later] = [uuidv7(), uuidv7()];
    const stream = await opened({ query: `?job=${job}` });
    const [{ id }, other] = [await received(), await received()];
    const changedBy = (jobId: string) => gateway.rows('update events set bulk_job_id = $1 where id = $2', [jobId, id]);
    await gateway.rows('update events set bulk_job_id = $1 where id = $2', [later, other.id]);
    await changedBy(job);
    const { data } = await stream.next('the event of the job', stateOf(id, 'pending', 0));
    expect(data).toMatchObject({ bulk_job_id: job });
    await changedBy(later);
    await stream.next('it no longer matches', ({ event, data }) => event === 'unmatched' && data.id === id);
    expect(stream.events().map((event) => event.id)).toEqual([id]);
  });

  test('by consumer, and webhooks that no consumer gets', async () => {
    const consumerId = await insertConsumer(gateway.database, { accountId: account.id, name: 'billing' });
    const [ofBilling, ofDefault, unsent] = [
      await opened({ query: '?consumer=billing' }),
      await opened({ query: '?consumer=default&skipped=false' }),
      await opened({ query: '?skipped=true' }),
    ];
    const skipped = await received({ skippedReason: 'no_consumer_matched' });
    const webhook = receivedEvent(account);
    const sibling = { id: highestOfMs(webhook.id), consumerId };
    expect(await receiver.receive({ ...webhook, siblings: [sibling] })).toEqual({ kind: 'stored' });
    const { data } = await ofBilling.next('the event of billing', stateOf(sibling.id, 'pending', 0));
    expect(data).toMatchObject({ consumer: 'billing', request_id: webhook.id });
    await ofDefault.next('the event of default', stateOf(webhook.id, 'pending', 0));
    await unsent.next('the skipped webhook', ({ event, data }) => event === 'event' && data.id === skipped.id);
    expect([ofBilling, ofDefault, unsent].map((stream) => stream.events().map(({ id }) => id))).toEqual([
      [sibling.id],
      [webhook.id],
      [skipped.id],
    ]);
  });

  test.each(['limit=5', 'offset=1', 'before=01900000-0000-7000-8000-000000000000', 'status=nope', 'since=now', 'x=1'])(
    '%s is refused',
    async (query) => {
      const answer = await gateway.admin.request('GET', `/admin/events/stream?${query}`);
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid' } });
    },
  );
});

test('an event of the list that no longer matches is reported, although the stream has not reported it before', async () => {
  const { id } = await received();
  const stream = await opened({ query: '?delivery_status=pending' });
  await attempted(id, true);
  await stream.next('it no longer matches', ({ event, data }) => event === 'unmatched' && data.id === id);
});

describe('resuming', () => {
  test('continues after the last id, without a gap', async () => {
    const first = await opened();
    const seen = await received();
    await first.next('the event', stateOf(seen.id, 'pending', 0));
    await until('the id behind it', () => first.text().trimEnd().split('\n').at(-1)?.startsWith('id: '));
    const lastId = first.lastId();
    await first.close();
    const missed = await Promise.all([received(), received()]);
    const watching = await opened();
    const after = await received();
    await watching.next('the next event', stateOf(after.id, 'pending', 0));
    const second = await opened({ lastId });
    expect(second.messages[0]).toEqual({ event: 'ready', data: { resumed: true } });
    for (const { id } of [...missed, after]) await second.next('a missed event', stateOf(id, 'pending', 0));
    expect(second.events().map((event) => event.id)).not.toContain(seen.id);
  });

  test.each(['1:1:', '9223372036854775806:9223372036854775806:', 'nonsense', `1:1:${'1,'.repeat(5_500)}`])(
    'an id that is too old or not one is said to be so',
    async (lastId) => {
      const stream = await opened({ lastId });
      expect(stream.messages[0]).toEqual({ event: 'ready', data: { resumed: false } });
    },
  );
});

describe('requests', () => {
  test('HEAD has the headers and ends', async () => {
    const answer = await rawRequest(gateway.baseUrl, {
      ...{ method: 'HEAD', path: '/admin/events/stream' },
      headers: { 'x-admin-token': gateway.adminToken },
    });
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'text/event-stream', '']);
  });

  test('a token in the address is refused', async () => {
    const answer = await fetch(`${gateway.baseUrl}/admin/events/stream?x-admin-token=${gateway.adminToken}`);
    expect(answer.status).toBe(401);
  });

  test('the typed client returns the messages', async () => {
    const admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
    const { data } = await admin.events.stream.get({ query: { status: 'received' } });
    for await (const { event, data: value } of data ?? []) {
      if (event !== 'ready') continue;
      expect(value).toEqual({ resumed: false });
      break;
    }
  });
});
