import { expect, test } from 'vitest';
import { highestOfMs, insertSibling } from '../support/consumers.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

// What operators see of an account with several consumers. Nothing is delivered here.

const gateway = useGateway({ worker: false });
const { admin } = { admin: () => gateway.admin };

async function accountWith(...consumers: { name: string; condition?: string }[]) {
  const account = await admin().createAccount({ delivery_url: 'http://127.0.0.1:9/default' });
  for (const consumer of consumers) {
    const body = { url: `http://127.0.0.1:9/${consumer.name}`, ...consumer };
    expect((await admin().post(`/admin/accounts/${account.id}/consumers`, body)).status).toBe(201);
  }
  return account;
}
const send = async (account: { provider: string; account_slug: string }, payload: unknown) =>
  (await gateway.send(account, JSON.stringify(payload))).body;
const get = async (path: string) => (await admin().request('GET', path)).body;
const consumersOf = (events: { consumer: string }[]) => events.map(({ consumer }) => consumer).toSorted();

test('each event names its consumer and its webhook, and shows its siblings and who did not match', async () => {
  const account = await accountWith({ name: 'one' }, { name: 'two' }, { name: 'none', condition: 'payload.n > 5' });
  const { id } = await send(account, { id: 'a', n: 1 });
  const events = await get(`/admin/events?account_slug=${account.account_slug}`);
  expect(consumersOf(events)).toEqual(['default', 'one', 'two']);
  for (const event of events) expect(event.request_id).toBe(id);
  const first = await get(`/admin/events/${id}`);
  expect(first).toMatchObject({ consumer: 'default', unmatched: ['none'], payload: { id: 'a', n: 1 } });
  expect(consumersOf(first.siblings)).toEqual(['one', 'two']);
  const [{ id: siblingId }] = first.siblings;
  const sibling = await get(`/admin/events/${siblingId}`);
  expect(sibling).toMatchObject({ request_id: id, unmatched: ['none'], payload: { id: 'a', n: 1 } });
  expect(sibling.siblings).toHaveLength(2);
  expect(sibling.headers).toEqual(first.headers);
});

test('the body of a sibling can be downloaded and is found by the search', async () => {
  const account = await accountWith({ name: 'other' });
  const { id } = await send(account, { id: 'b', text: `needle of ${account.account_slug}` });
  const [{ id: siblingId }] = (await get(`/admin/events/${id}`)).siblings;
  const answer = await admin().request('GET', `/admin/events/${siblingId}/payload`);
  expect(answer.body).toEqual({ id: 'b', text: `needle of ${account.account_slug}` });
  const found = await admin().post('/admin/events/search', {
    ...{ text: `needle of ${account.account_slug}`, account_slug: account.account_slug },
  });
  expect(consumersOf(found.body.events)).toEqual(['default', 'other']);
});

test('lists can be filtered by consumer and by what was skipped', async () => {
  const name = `c-${Math.random().toString(36).slice(2, 8)}`;
  const account = await accountWith({ name, condition: 'payload.n > 5' });
  await admin().request('PATCH', `/admin/accounts/${account.id}/consumers/default`, { condition: 'payload.n < 0' });
  const large = await send(account, { id: 'large', n: 9 });
  const small = await send(account, { id: 'small', n: 1 });
  const ids = async (query: string) =>
    (await get(`/admin/events?account_slug=${account.account_slug}&${query}`)).map((event: { id: string }) => event.id);
  expect(await ids(`consumer=${name}`)).toEqual([large.id]);
  expect(await ids('consumer=default')).toEqual([small.id]);
  expect(await ids('skipped=true')).toEqual([small.id]);
  expect(await ids('skipped=false')).toEqual([large.id]);
  expect((await get(`/admin/events?consumer=${name}`)).map(({ id }: { id: string }) => id)).toEqual([large.id]);
  const skipped = await get(`/admin/events/${small.id}`);
  expect(skipped).toMatchObject({
    ...{ status: 'enqueued', delivery_status: null, skipped_reason: 'no_consumer_matched', attempts: 0 },
    ...{ unmatched: ['default', name], siblings: [] },
  });
  expect((await admin().request('GET', '/admin/events?skipped=perhaps')).status).toBe(422);
});

test('a skipped webhook is neither replayed, retried, acknowledged nor failed', async () => {
  const account = await accountWith();
  await admin().request('PATCH', `/admin/accounts/${account.id}/consumers/default`, { enabled: false });
  const { id } = await send(account, { id: 'skipped' });
  for (const path of [`events/${id}/replay`, `delivery/retry/${id}`, `events/${id}/ack`, `events/${id}/fail`]) {
    const answer = await admin().post(`/admin/${path}`);
    expect([path, answer.status, answer.body.code]).toEqual([path, 409, 'event_skipped']);
  }
});

test('events of a deleted consumer stay, with its name, and are neither replayed nor retried', async () => {
  const account = await accountWith({ name: 'gone' });
  const { id } = await send(account, { id: 'deleted' });
  const [{ id: siblingId }] = (await get(`/admin/events/${id}`)).siblings;
  expect((await admin().request('DELETE', `/admin/accounts/${account.id}/consumers/gone`)).status).toBe(204);
  expect(await get(`/admin/events/${siblingId}`)).toMatchObject({
    ...{ consumer: 'gone', delivery_status: 'failed', last_error: 'consumer_deleted' },
  });
  for (const path of [`events/${siblingId}/replay`, `delivery/retry/${siblingId}`])
    expect((await admin().post(`/admin/${path}`)).status).toBe(409);
  expect((await admin().post(`/admin/events/replay-failed?account_slug=${account.account_slug}`)).body).toEqual({
    ...{ replayed: 0, left_out: 0 },
  });
});

test('a retry is refused while the consumer is disabled or paused', async () => {
  const account = await accountWith({ name: 'off' });
  const { id } = await send(account, { id: 'retry' });
  const [{ id: siblingId }] = (await get(`/admin/events/${id}`)).siblings;
  const path = `/admin/accounts/${account.id}/consumers/off`;
  const retry = () => admin().post(`/admin/delivery/retry/${siblingId}`);
  await admin().request('PATCH', path, { enabled: false });
  expect((await retry()).body.detail).toContain('disabled');
  expect((await get(`/admin/events/${siblingId}`)).waits_for).toBe('consumer_disabled');
  await admin().request('PATCH', path, { enabled: true });
  await admin().post(`${path}/pause`);
  expect((await retry()).body.detail).toContain('paused');
  expect((await get(`/admin/events/${siblingId}`)).waits_for).toBe('paused');
  await admin().post(`${path}/resume`);
  expect((await retry()).status).toBe(202);
});

test('replay-failed takes consumer and time', async () => {
  const account = await accountWith({ name: 'failing' });
  const { id } = await send(account, { id: 'failed' });
  const [{ id: siblingId }] = (await get(`/admin/events/${id}`)).siblings;
  await gateway.rows(`update events set status = 'failed', delivery_status = 'failed' where id = any($1)`, [
    [id, siblingId],
  ]);
  const replayed = async (query: string) =>
    (await admin().post(`/admin/events/replay-failed?account_slug=${account.account_slug}&${query}`)).body.replayed;
  expect(await replayed('until=2020-01-01')).toBe(0);
  expect(await replayed('consumer=nobody')).toBe(0);
  expect(await replayed('consumer=failing')).toBe(1);
  expect((await get(`/admin/events/${siblingId}`)).generation).toBe(1);
  expect(await replayed('consumer=default&since=2020-01-01')).toBe(1);
});

test('received counts webhooks, total counts events, and skipped ones count as received only', async () => {
  const counts = async () => {
    const { total, pending, by_hour } = await get('/admin/delivery/stats');
    return {
      total,
      pending,
      received: by_hour.reduce((sum: number, { received }: { received: number }) => sum + received, 0),
    };
  };
  const account = await accountWith({ name: 'one' }, { name: 'two', condition: 'payload.n > 5' });
  const before = await counts();
  await send(account, { id: 'c', n: 1 });
  await send(account, { id: 'd', n: 9 });
  await admin().request('PATCH', `/admin/accounts/${account.id}/consumers/default`, { enabled: false });
  await admin().request('PATCH', `/admin/accounts/${account.id}/consumers/one`, { enabled: false });
  await send(account, { id: 'e', n: 1 });
  await until('all are counted', async () => (await counts()).received === before.received + 3);
  expect(await counts()).toEqual({
    total: before.total + 5,
    pending: before.pending + 5,
    received: before.received + 3,
  });
});

test('the delay of the first attempt of a backfilled event counts from the backfill', async () => {
  const account = await accountWith({ name: 'late' });
  await admin().request('PATCH', `/admin/accounts/${account.id}/consumers/late`, { enabled: false });
  const { id } = await send(account, { id: 'backfilled' });
  const [consumer] = await gateway.rows('select id from consumers where account_id = $1', [account.id]);
  const hourMs = 3_600_000;
  const backfilledAt = new Date(Date.now() + hourMs);
  const sibling = await insertSibling(gateway.database, id, {
    ...{ id: highestOfMs(id), consumerId: consumer?.id, backfilledAt },
  });
  await gateway.rows(
    `insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome)
     values ($1, 0, 'schedule', 1, $2::timestamptz + interval '250 ms', 1, 'delivered')`,
    [sibling, backfilledAt],
  );
  expect((await get('/admin/delivery/stats')).first_attempt_delay_ms).toEqual({
    ...{ events: 1, p50: 250, p95: 250, p99: 250 },
  });
  expect(await get(`/admin/events/${sibling}`)).toMatchObject({ backfilled_at: backfilledAt.toISOString() });
});
