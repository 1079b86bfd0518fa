import { expect, test } from 'vitest';
import { openApiText } from '../../src/roles/openapi.ts';
import { adminClient } from '../support/admin-client.ts';
import { type AdminOperation, adminOperations, bodyOf, pathOf } from '../support/admin-operations.ts';
import { openStream } from '../support/event-stream.ts';
import { untilInFeed } from '../support/in-feed.ts';
import { rawRequest } from '../support/raw-http.ts';
import type { ResourceIds } from '../support/resources.ts';
import { until } from '../support/until.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';
import { ownersOf } from './owners.ts';

const consumer = useConsumer();
// No worker, so that nothing but the calls changes rows.
const gateway = useGateway({ worker: false, trustedProxies: ['127.0.0.1'] });
const operations = await adminOperations();

const { paths } = JSON.parse(await openApiText());
/** The role is checked before the scope, and no token with a scope can have the role `admin`. */
const refusalOf = ({ path, method }: AdminOperation) =>
  paths[path][method.toLowerCase()]['x-required-role'] === 'admin' ? 'forbidden' : 'out_of_scope';
const { owner, rowsOf } = ownersOf(gateway, () => consumer.url);
let made = 0;
/** A token with these fields, and a client that uses it. */
async function tokenWith(fields: Record<string, unknown>) {
  const answer = await gateway.admin.post('/admin/tokens', { name: `scoped-${++made}`, ...fields });
  expect(answer.status).toBe(201);
  return { ...answer.body, client: adminClient(gateway.baseUrl, answer.body.token) };
}

test.each([
  ['an app_key', (ids: { appKey: string }) => ({ app_key: ids.appKey })],
  ['one account', ({ ids }: { ids: ResourceIds }) => ({ account_id: ids.account_id })],
] as const)('no operation shows or changes anything of another account to a token of %s', async (_name, scopeOf) => {
  const [other, own] = [await owner(), await owner()];
  const { token } = await tokenWith({ role: 'operate', ...scopeOf(own) });
  const before = await rowsOf(other.ids);
  const hidden = [...Object.values(other.ids), other.appKey, other.slug, other.eventType].filter(
    (text) => !['quiet-one', 'retention'].includes(text),
  );
  for (const operation of operations) {
    const body = bodyOf(operation, other.ids);
    const answer = await rawRequest(gateway.baseUrl, {
      ...{ method: operation.method, path: pathOf(operation, other.ids) },
      headers: { 'x-admin-token': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const what = `${operation.id} ${answer.status}`;
    if (operation.scope === 'refused')
      expect([what, answer.status, JSON.parse(answer.text).code]).toEqual([what, 403, refusalOf(operation)]);
    else if (operation.parameters.length > 0) expect([what, answer.status]).toEqual([what, 404]);
    else expect([what, answer.status]).toEqual([what, expect.toBeOneOf([...operation.successes, 404, 409])]);
    const shown = answer.text.replaceAll(other.ids.token_id, '');
    expect([what, hidden.filter((text) => shown.includes(text))]).toEqual([what, []]);
  }
  expect(await rowsOf(other.ids)).toBe(before);
});

test('a token works on what is within its scope, in every operation that can be limited', async () => {
  const own = await owner();
  const { token } = await tokenWith({ role: 'operate', app_key: own.appKey });
  // The account of the rejected webhook.
  await gateway.rows('update accounts set app_key = $2 where id = (select account_id from events where id = $1)', [
    ...[own.ids.rejected_id, own.appKey],
  ]);
  const limited = operations.filter(({ scope }) => scope === 'limited');
  expect(limited.length).toBeGreaterThan(35);
  for (const operation of limited) {
    const body = bodyOf(operation, own.ids);
    // Again for each operation, because one may end what the next one needs.
    await gateway.rows(
      `update bulk_jobs set state = 'running', ended_at = null, account_ids = array[$2]::uuid[] where id = $1`,
      [own.ids.job_id, own.ids.account_id],
    );
    const answer = await rawRequest(gateway.baseUrl, {
      ...{ method: operation.method, path: pathOf(operation, own.ids) },
      headers: { 'x-admin-token': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const what = `${operation.id} ${answer.text.slice(0, 200)}`;
    expect([what, answer.status]).toEqual([what, expect.toBeOneOf([...operation.successes, 409])]);
  }
});

test('a reader of the feed that waits gets the events of an account that is made within its scope', async () => {
  const own = await owner();
  const { client } = await tokenWith({ role: 'read', app_key: own.appKey });
  await untilInFeed(gateway, own.ids.account_id, 2);
  let { cursor } = (await client.request('GET', '/admin/feed')).body;
  const reading = until('the feed has an event', async () => {
    const { body } = await client.request('GET', `/admin/feed?cursor=${cursor}&wait=30s`);
    ({ cursor } = body);
    return body.data.length > 0 && body.data;
  });
  const other = await gateway.admin.createAccount({});
  await gateway.send(other, '{"id":"outside"}');
  const account = await gateway.admin.createAccount({ app_key: own.appKey });
  const { body } = await gateway.send(account, '{"id":"inside"}');
  expect(await reading).toMatchObject([{ event: { id: body.id } }]);
});

test('lists, searches, filter values and statistics have only what is within the scope', async () => {
  const [other, own] = [await owner(), await owner()];
  const { client } = await tokenWith({ role: 'read', app_key: own.appKey });
  const both = [own.ids.account_id, other.ids.account_id];
  for (const { ids } of [own, other])
    await gateway.admin.post(`/admin/events/${ids.event_id}/fail`, { error: 'wrong', dead: true });
  await gateway.rows(
    `insert into account_deliveries (account_id, hour, attempts, failed_attempts, exhausted, buckets, numbers)
     select id, date_trunc('hour', now()), 2, 1, 0, '{}', '{}' from unnest($1::uuid[]) as id`,
    [both],
  );
  const get = async (path: string) => (await client.request('GET', path)).body;
  expect((await get('/admin/accounts')).map(({ id }: { id: string }) => id)).toEqual([own.ids.account_id]);
  const events: { account_id: string }[] = await get('/admin/events');
  expect(events).toHaveLength(2);
  expect(new Set(events.map(({ account_id }) => account_id))).toEqual(new Set([own.ids.account_id]));
  await untilInFeed(gateway, own.ids.account_id, events.length);
  const { data } = await get('/admin/feed?since=1h');
  expect(data.map(({ event }: { event: { account_id: string } }) => event.account_id)).toEqual(
    events.map(() => own.ids.account_id),
  );
  const named = await client.request(
    'GET',
    `/admin/feed?account=${own.ids.account_id}&account=${other.ids.account_id}`,
  );
  expect([named.status, named.body.code]).toEqual([404, 'not_found']);
  for (const query of [`account_slug=${other.slug}`, `app_key=${other.appKey}`, `incident=${other.ids.incident_id}`])
    expect(await get(`/admin/events?${query}`)).toEqual([]);
  expect((await get('/admin/incidents')).map(({ id }: { id: string }) => id)).toEqual([own.ids.incident_id]);
  expect(await get(`/admin/incidents?account_id=${other.ids.account_id}`)).toEqual([]);
  const values = await get('/admin/events/filters');
  expect(values).toMatchObject({ account_slugs: expect.arrayContaining([own.slug]), providers: ['generic'] });
  expect(values.account_slugs).not.toContain(other.slug);
  const found = await client.post('/admin/events/search', { text: 'owner-' });
  expect(found.body.events.map(({ id }: { id: string }) => id)).toEqual([own.ids.event_id]);
  expect(await get('/admin/events/bulk')).toEqual([]);
  const accountIdsOf = (rows: { account_id: string }[]) => rows.map(({ account_id }) => account_id);
  expect(accountIdsOf(await get('/admin/delivery/failed'))).toEqual([own.ids.account_id]);
  expect(accountIdsOf((await get('/admin/delivery/accounts')).accounts)).toEqual([own.ids.account_id]);
  const me = await get('/admin/me');
  expect(me).toMatchObject({ role: 'read', scope: { app_key: own.appKey } });
});

test('ids in bodies and queries are 404 outside of the scope', async () => {
  const [other, own] = [await owner(), await owner()];
  const { client } = await tokenWith({ role: 'operate', account_id: own.ids.account_id });
  const unknown = '01900000-0000-7000-8000-000000000000';
  for (const [name, from, to] of [
    ['event_id', other.ids.event_id, unknown],
    ['account_id', other.ids.account_id, unknown],
  ] as const) {
    const path = name === 'event_id' ? '/admin/conditions/check' : '/admin/conditions/preview';
    const answers = await Promise.all(
      [from, to].map((id) => client.post(path, { condition: 'delivery_failed', [name]: id })),
    );
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
      [404, answers[1]?.body.detail],
      [404, answers[1]?.body.detail],
    ]);
  }
  expect((await client.request('GET', `/admin/conditions/names?account_id=${other.ids.account_id}`)).status).toBe(404);
  expect(
    (await client.post('/admin/conditions/check', { condition: 'delivery_failed', event_id: own.ids.event_id })).status,
  ).toBe(200);
});

test('orders for many events change those within the scope only', async () => {
  const [other, own] = [await owner(), await owner()];
  const { client } = await tokenWith({ role: 'operate', account_id: own.ids.account_id });
  await gateway.rows(`update bulk_jobs set state = 'stopped', ended_at = now() where ended_at is null`);
  const filter = { provider: 'generic' };
  const dry = await client.post('/admin/events/bulk', { action: 'ack', filter, dry_run: true });
  expect(dry.body).toMatchObject({ matched: 2 });
  const byFilter = await client.post('/admin/events/bulk', { action: 'ack', filter });
  expect(byFilter).toMatchObject({ status: 202, body: { filter, total: 2 } });
  const byIds = await client.post('/admin/events/bulk', {
    ...{ action: 'dead', ids: [other.ids.event_id, own.ids.event_id] },
  });
  expect(byIds).toMatchObject({ status: 202, body: { ids: 1 } });
  const jobs = (await client.request('GET', '/admin/events/bulk')).body;
  expect(jobs.map(({ id }: { id: string }) => id)).toEqual([byIds.body.id, byFilter.body.id]);
  const elsewhere = await tokenWith({ role: 'operate', account_id: other.ids.account_id });
  expect((await elsewhere.client.request('GET', `/admin/events/bulk/${byIds.body.id}`)).status).toBe(404);
  expect((await elsewhere.client.post(`/admin/events/bulk/${byIds.body.id}/stop`)).status).toBe(404);

  await gateway.startWorker();
  for (const { body } of [byFilter, byIds])
    await until('the job has ended', async () => {
      const job = (await gateway.admin.request('GET', `/admin/events/bulk/${body.id}`)).body;
      return job.state === 'done' && job;
    });
  await gateway.stopWorker();
  const states = await gateway.rows(
    `select account_id, status, count(*)::integer as n from events
    where account_id = any($1) group by 1, 2 order by 1, 2`,
    [[other.ids.account_id, own.ids.account_id]],
  );
  const ofOwn = states.filter(({ account_id }) => account_id === own.ids.account_id);
  expect(ofOwn.map(({ status }) => status).sort()).toEqual(['dead', 'processed']);
  const ofOther = states.filter(({ account_id }) => account_id === other.ids.account_id);
  expect(ofOther.map(({ status }) => status)).not.toContain('processed');
});

test('replay-failed replays the failed events within the scope only', async () => {
  const [other, own] = [await owner(), await owner()];
  for (const { ids } of [other, own])
    await gateway.admin.post(`/admin/events/${ids.event_id}/fail`, { error: 'wrong' });
  const { client } = await tokenWith({ role: 'operate', app_key: own.appKey });
  const { body } = await client.post('/admin/events/replay-failed');
  expect(body).toMatchObject({ replayed: 1 });
  expect((await gateway.admin.event(own.ids.event_id)).generation).toBe(1);
  expect((await gateway.admin.event(other.ids.event_id)).generation).toBe(0);
});

test('a stream reports what is within the scope, and ends when the token is revoked', async () => {
  const [other, own] = [await owner(), await owner()];
  const token = await tokenWith({ role: 'read', account_id: own.ids.account_id });
  const stream = await openStream({ baseUrl: gateway.baseUrl, adminToken: token.token });
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  await gateway.rows('update incidents set attempts = attempts + 1, changed_at = now() where id = any($1)', [
    [own.ids.incident_id, other.ids.incident_id],
  ]);
  await gateway.send({ provider: 'generic', account_slug: other.slug }, '{"id":"n1","type":"new"}');
  await gateway.send({ provider: 'generic', account_slug: own.slug }, '{"id":"n2","type":"new"}');
  await stream.next('its new event', ({ event, data }) => event === 'event' && data.external_id === 'n2');
  await stream.next('its incident', ({ event, data }) => event === 'incident' && data.id === own.ids.incident_id);
  expect(stream.text()).not.toContain(other.ids.account_id);
  expect((await gateway.admin.request('DELETE', `/admin/tokens/${token.id}`)).status).toBe(204);
  await stream.ended;
  expect(stream.messages.at(-1)).toMatchObject({ event: 'end', data: { reason: 'token_ended' } });
});

test('a stream does not tell how many events others receive', async () => {
  const own = await gateway.admin.createAccount({});
  const { token } = await tokenWith({ role: 'read', account_id: own.id });
  const stream = await openStream({ baseUrl: gateway.baseUrl, adminToken: token });
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  // Again, because an order of another test may be the reason that is told.
  await until('some may be missing', async () => {
    await gateway.rows(
      `insert into events (id, account_id, provider, account_slug, app_key, external_id, status, delivery_status, generation_at, received_at)
       select uuidv7(), gen_random_uuid(), 'generic', 'busy', 'busy', n::text, 'failed', 'failed', now(), now() from generate_series(1, 5000) n`,
    );
    return stream.messages.some(({ event, data }) => event === 'reset' && data.reason === 'backlog');
  });
  expect(stream.messages.map(({ event }) => event)).not.toContain('left_out');
  await stream.close();
});
