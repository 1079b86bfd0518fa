import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAdminClient } from '../../../src/api/client.ts';
import { insertConsumer } from '../../support/consumers.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { secretText } from '../../support/secrets.ts';
import { useForEach } from '../../support/use.ts';
import { useGatewayPerTest } from '../../support/use-gateway.ts';
import { bulkWorkerOf, entriesOfJob, events, generations, ordered, orderPath, readJob, workOff } from './support.ts';

const operator = { name: 'olga', role: 'operate' as const, token: secretText('token-of-olga') };
const reader = { name: 'rita', role: 'read' as const, token: secretText('token-of-rita') };
const noId = '01900000-0000-7000-8000-000000000000';

const gateway = useGatewayPerTest({ worker: false, adminTokens: [operator, reader] });
const account = useForEach(() => gateway.admin.createAccount({ app_key: 'app' }));

test('wrong orders are refused with the name of the wrong field', async () => {
  const ids = [noId];
  const wrong: [what: string, order: unknown, path: string][] = [
    ['without an action', { ids }, 'action'],
    ['with an unknown action', { action: 'delete', ids }, 'action'],
    ['without events', { action: 'ack' }, 'filter'],
    ['with a filter and ids', { action: 'ack', ids, filter: { provider: 'generic' } }, 'filter'],
    ['with an empty filter, which would be every event', { action: 'ack', filter: {} }, 'filter'],
    ['with an unknown filter', { action: 'ack', filter: { provder: 'generic' } }, 'filter.provder'],
    ['with paging in the filter', { action: 'ack', filter: { limit: 5 } }, 'filter.limit'],
    ['with an unknown status', { action: 'ack', filter: { status: 'lost' } }, 'filter.status'],
    ['with a time that is none', { action: 'ack', filter: { since: 'yesterday' } }, 'filter.since'],
    ['with a NUL in a filter', { action: 'ack', filter: { app_key: 'a\u0000' } }, 'filter.app_key'],
    ['with a filter that is a list', { action: 'ack', filter: [] }, 'filter'],
    ['without ids', { action: 'ack', ids: [] }, 'ids'],
    ['with an id that is none', { action: 'ack', ids: ['1'] }, 'ids.0'],
    ['with more than 1,000 ids', { action: 'ack', ids: Array.from({ length: 1_001 }, () => noId) }, 'ids'],
    ['with an error for another action', { action: 'ack', ids, error: 'no use' }, 'error'],
    ['with a dry run that is no boolean', { action: 'ack', ids, dry_run: 'yes' }, 'dry_run'],
    ['with an unknown field', { action: 'ack', ids, force: true }, 'force'],
  ];
  for (const [what, order, path] of wrong) {
    const { status, body } = await gateway.admin.post(orderPath, order);
    expect([what, status, body.code]).toEqual([what, 422, 'invalid']);
    expect([what, body.errors.map((error: { path: string }) => error.path)]).toEqual([
      what,
      expect.arrayContaining([path]),
    ]);
  }
  expect(await gateway.rows('select 1 from bulk_jobs')).toEqual([]);
});

test('each filter of the list selects the same events as the list, but acknowledged ones only if it names them', async () => {
  const now = Date.now();
  await events(gateway, account, 30, { eventType: 'a', appKey: 'one' });
  await events(gateway, account, 30, { provider: 'slack', status: 'processed', deliveryStatus: 'delivered' }, 40);
  await events(gateway, account, 30, { status: 'received', deliveryStatus: 'pending', accountSlug: 'other' });
  await events(gateway, account, 10, { status: 'rejected', deliveryStatus: null, externalId: 'same' });
  const consumerId = await insertConsumer(gateway.database, { accountId: account.id, name: 'billing' });
  await events(gateway, account, 10, { consumerId, deliveryStatus: 'pending', status: 'received' });
  const since = new Date(now - 2.5 * 86_400_000).toISOString();
  const filters: Record<string, string>[] = [
    ...[{ app_key: 'one' }, { provider: 'slack' }, { event_type: 'a' }, { account_slug: 'other' }],
    ...[{ consumer: 'billing' }, { consumer: 'billing', delivery_status: 'pending' }, { consumer: 'default' }],
    ...[{ consumer: 'none' }, { skipped: 'false' }],
    ...[{ external_id: 'same' }, { status: 'received' }, { status: 'processed' }, { delivery_status: 'pending' }],
    ...[
      { delivery_status: 'failed' },
      { since },
      { until: since },
      ...[{ since, status: 'processed' }, { state: 'acknowledged' }, { state: 'exhausted' }, { state: 'waiting' }],
      { app_key: 'none' },
    ],
  ];
  for (const filter of filters) {
    const list = await gateway.admin.request('GET', `/admin/events?limit=1000&${new URLSearchParams(filter)}`);
    const all: string[] = list.body.map(({ id }: { id: string }) => id);
    // What a person has acknowledged is left out, unless the filter names a status or a state.
    const isNamed = 'status' in filter || 'state' in filter;
    const listed: string[] = list.body
      .filter(({ state }: { state: string }) => isNamed || state !== 'acknowledged')
      .map(({ id }: { id: string }) => id);
    const dry = await gateway.admin.post(orderPath, { action: 'dead', filter, dry_run: true });
    expect([filter, dry.body]).toEqual([
      filter,
      { dry_run: true, matched: listed.length, exact: true, left_out: all.length - listed.length },
    ]);
    const mark = `by ${JSON.stringify(filter)}`;
    await gateway.rows('update events set last_error = null');
    // `dead` without the state, so that the next filters find the same events.
    const job = await ordered(gateway, { action: 'dead', error: mark, filter });
    const before = await gateway.rows('select id, status, delivery_status from events');
    await workOff(gateway);
    expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', total: listed.length, done: listed.length });
    const marked = await gateway.rows('select id from events where last_error = $1 order by id desc', [mark]);
    expect([filter, marked.map(({ id }) => id)]).toEqual([filter, listed]);
    await gateway.rows(
      `update events e set status = b.status, delivery_status = b.delivery_status from json_to_recordset($1) as b (id uuid, status text, delivery_status text)
       where e.id = b.id`,
      [JSON.stringify(before)],
    );
  }
});

test('ids: each once, in either case; unknown, rejected and deleted ones are skipped with the reason', async () => {
  const gone = await gateway.admin.createAccount({ app_key: 'gone' });
  const [one = '', two = ''] = await events(gateway, account, 2);
  const [rejected] = await events(gateway, account, 1, { status: 'rejected', deliveryStatus: null });
  const [orphan] = await events(gateway, gone, 1);
  await gateway.admin.request('DELETE', `/admin/accounts/${gone.id}`);
  const ids = [one, two, two.toUpperCase(), one, rejected, orphan, noId];
  const dry = await gateway.admin.post(orderPath, { action: 'replay', ids, dry_run: true });
  expect(dry.body).toEqual({ dry_run: true, matched: 4, exact: true, left_out: 0 });
  const job = await ordered(gateway, { action: 'replay', ids });
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({
    ...{ state: 'done', ids: 5, total: 5, matched: 5, done: 2, failed: 0 },
    skipped: { not_found: 1, event_rejected: 1, account_deleted: 1 },
  });
  expect(await generations(gateway)).toEqual({ 0: 2, 1: 2 });
});

test('webhooks that no consumer gets, and events whose consumer is deleted, disabled or paused, are skipped with the reason', async () => {
  const { database, rows } = gateway;
  const made = (name: string) => insertConsumer(database, { accountId: account.id, name });
  const [deleted, disabled, paused] = [await made('deleted'), await made('disabled'), await made('paused')];
  await rows(`update consumers set deleted_at = now() where name = 'deleted'`);
  await rows(`update consumers set enabled = false where name = 'disabled'`);
  await rows(`update consumers set paused_since = now() where name = 'paused'`);
  const unsent = { status: 'enqueued', deliveryStatus: null, skippedReason: 'no_consumer_matched' } as const;
  const [skipped] = await events(gateway, account, 1, unsent);
  const ids = [skipped, (await events(gateway, account, 1))[0]];
  for (const consumerId of [deleted, disabled, paused])
    ids.push((await events(gateway, account, 1, { consumerId }))[0]);
  const reasonsOf = async (order: object) => {
    const job = await ordered(gateway, order);
    await workOff(gateway);
    const { done, skipped } = await readJob(gateway, job.id);
    return { done, skipped };
  };
  const never = { event_skipped: 1, consumer_deleted: 1 };
  expect(await reasonsOf({ action: 'retry', ids })).toEqual({
    ...{ done: 1, skipped: { ...never, consumer_disabled: 1, consumer_paused: 1 } },
  });
  expect(await reasonsOf({ action: 'replay', ids })).toEqual({ done: 3, skipped: never });
  expect(await reasonsOf({ action: 'ack', filter: { skipped: 'true' } })).toEqual({
    ...{ done: 0, skipped: { event_skipped: 1 } },
  });
  expect(await reasonsOf({ action: 'dead', filter: { consumer: 'deleted' } })).toEqual({ done: 1, skipped: {} });
});

test('retry skips dead events and disabled accounts, waits during a pause, and is refused then', async () => {
  const disabled = await gateway.admin.createAccount({ app_key: 'disabled', enabled: false });
  const [one = '', two = ''] = await events(gateway, account, 2);
  const [dead = ''] = await events(gateway, account, 1, { status: 'dead' });
  const [off = ''] = await events(gateway, disabled, 1);
  const job = await ordered(gateway, { action: 'retry', ids: [one, two, dead, off] });
  await gateway.admin.post('/admin/delivery/pause');
  const refused = await gateway.admin.post(orderPath, { action: 'retry', ids: [one] });
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  const worker = bulkWorkerOf(gateway);
  expect(await worker.round()).toBe('more');
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'running', matched: 0 });
  await gateway.admin.post('/admin/delivery/resume');
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({
    ...{ state: 'done', done: 2, skipped: { event_dead: 1, account_disabled: 1 } },
  });
});

test('events received after the order are not changed', async () => {
  await events(gateway, account, 3);
  const job = await ordered(gateway, { action: 'replay', filter: { app_key: 'app' } });
  await events(gateway, account, 2, { receivedAt: new Date(Date.now() + 60_000) });
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 3 });
  expect(await generations(gateway)).toEqual({ 0: 2, 1: 3 });
});

test('a filter that matches nothing, and an empty database, end at once', async () => {
  const none = await ordered(gateway, { action: 'ack', filter: { app_key: 'app' } });
  await workOff(gateway);
  expect(await readJob(gateway, none.id)).toMatchObject({ state: 'done', total: 0, matched: 0 });
  await events(gateway, account, 3);
  const other = await ordered(gateway, { action: 'ack', filter: { app_key: 'other' } });
  await workOff(gateway);
  expect(await readJob(gateway, other.id)).toMatchObject({ state: 'done', total: 0, matched: 0 });
});

test('the same order twice is refused while the first one runs; five jobs at most', async () => {
  const order = { action: 'ack', filter: { app_key: 'app', since: '2026-01-01' } };
  const answers = await Promise.all([1, 2, 3].map(() => gateway.admin.post(orderPath, order)));
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  for (const app_key of ['b', 'c', 'd', 'e']) await ordered(gateway, { action: 'ack', filter: { app_key } });
  const sixth = await gateway.admin.post(orderPath, { action: 'ack', filter: { app_key: 'f' } });
  expect([sixth.status, sixth.body.code]).toEqual([409, 'conflict']);
  expect(sixth.body.detail).toContain('5 bulk jobs have not ended yet');
  await workOff(gateway);
  await ordered(gateway, order);
});

test('jobs are listed newest first, in pages', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    ids.unshift((await ordered(gateway, { action: 'ack', filter: { app_key: `app-${n}` } })).id);
    await workOff(gateway);
  }
  const first = await gateway.admin.request('GET', `${orderPath}?limit=3`);
  expect(first.body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 3));
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await gateway.admin.request('GET', next);
  expect(second.body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(3));
  expect(second.headers.get('link')).toBeNull();
});

test('a job that does not exist is 404, also for ids that are none', async () => {
  for (const id of [noId, 'no-id', 'stop'])
    for (const [method, path] of [
      ['GET', `${orderPath}/${id}`],
      ['POST', `${orderPath}/${id}/stop`],
    ] as const) {
      const { status, body } = await gateway.admin.request(method, path);
      expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
    }
});

test('operate may order and stop, read may only look', async () => {
  const call = (token: string, method: string, path: string, body?: object) =>
    rawRequest(gateway.baseUrl, {
      ...{ method, path, headers: { 'x-admin-token': token, 'content-type': 'application/json' } },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const order = { action: 'ack', filter: { app_key: 'app' } };
  for (const more of [{}, { dry_run: true }]) {
    const refused = await call(reader.token, 'POST', orderPath, { ...order, ...more });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  }
  const made = await call(operator.token, 'POST', orderPath, order);
  expect([made.status, made.body.ordered_by]).toEqual([202, 'olga']);
  const path = `${orderPath}/${made.body.id}`;
  expect((await call(reader.token, 'POST', `${path}/stop`)).status).toBe(403);
  expect((await call(reader.token, 'GET', path)).body.state).toBe('running');
  expect((await call(reader.token, 'GET', orderPath)).body).toHaveLength(1);
  expect((await call(operator.token, 'POST', `${path}/stop`)).status).toBe(202);
  await workOff(gateway);
  expect((await call(reader.token, 'GET', path)).body).toMatchObject({ state: 'stopped', reason: 'operator' });
});

test('the given ids stand in the job and in the audit entry of the order', async () => {
  const ids = (await events(gateway, account, 3)).sort();
  const job = await ordered(gateway, { action: 'ack', ids: [...ids].reverse() });
  expect(await readJob(gateway, job.id)).toMatchObject({ ids: 3, event_ids: ids });
  expect((await entriesOfJob(gateway, job.id))[0]?.details).toMatchObject({ ids: 3, event_ids: ids });
  const filtered = await ordered(gateway, { action: 'ack', filter: { app_key: 'app' } });
  expect(await readJob(gateway, filtered.id)).toMatchObject({ ids: null, event_ids: null });
});

test('the audit entry of an order has its first hundred ids, their number and a hash of all', async () => {
  // No event needs to have an id: it is skipped as not found.
  const ids = Array.from({ length: 1_000 }, () => randomUUID()).sort();
  const job = await ordered(gateway, { action: 'ack', ids: [...ids].reverse() });
  const { event_ids } = await readJob(gateway, job.id);
  expect(event_ids).toEqual(ids);
  const [entry] = await entriesOfJob(gateway, job.id);
  expect(entry?.details).toEqual({
    ...{ status: 202, action: 'ack', job_id: job.id, total: 1_000 },
    ...{ ids: 1_000, event_ids: ids.slice(0, 100) },
    // As `jq -r '.event_ids[]' | sha256sum` prints it.
    ids_sha256: createHash('sha256')
      .update(`${ids.join('\n')}\n`)
      .digest('hex'),
  });
});

test('the typed client orders and reads jobs', async () => {
  const client = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
  const dry = await client.events.bulk.post({ action: 'ack', filter: { app_key: 'app' }, dry_run: true });
  expect([dry.status, dry.data]).toEqual([200, { dry_run: true, matched: 0, exact: true, left_out: 0 }]);
  const made = await client.events.bulk.post({ action: 'ack', filter: { app_key: 'app', since: new Date(0) } });
  if (!made.data || !('id' in made.data)) throw new Error('there is no job');
  expect((await client.events.bulk({ job_id: made.data.id }).get()).data?.filter).toEqual({
    ...{ app_key: 'app', since: '1970-01-01T00:00:00.000Z' },
  });
  expect((await client.events.bulk.get()).data).toHaveLength(1);
  expect((await client.events.bulk({ job_id: made.data.id }).stop.post()).data?.state).toBe('stopping');
});
