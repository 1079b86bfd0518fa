import { beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { openStream } from '../support/event-stream.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
let renamed: { id: string };
let taker: { id: string };
let ofRenamed: string;

/** Sends a webhook, and marks its event as failed. */
async function failedEvent(account_slug: string, name: string): Promise<string> {
  const { id } = (await gateway.send({ provider: 'generic', account_slug }, JSON.stringify({ id: name }))).body;
  await gateway.admin.post(`/admin/events/${id}/fail`, {});
  return id;
}

// Failed events of the same slug: of the account that had it first, and of the one that took it over.
beforeAll(async () => {
  renamed = await gateway.admin.createAccount({ account_slug: 'taken-over' });
  ofRenamed = await failedEvent('taken-over', 'first');
  await gateway.admin.request('PATCH', `/admin/accounts/${renamed.id}`, { account_slug: 'renamed' });
  taker = await gateway.admin.createAccount({ account_slug: 'taken-over' });
  await failedEvent('taken-over', 'second');
  await failedEvent('taken-over', 'third');
});

const get = async (path: string, client: Pick<typeof gateway.admin, 'request'> = gateway.admin) =>
  (await client.request('GET', `/admin/events${path}`)).body;
const tokenOf = async (accountId: string) => {
  const { body } = await gateway.admin.post('/admin/tokens', {
    ...{ name: `of-${accountId}`, role: 'operate', account_id: accountId },
  });
  return adminClient(gateway.baseUrl, body.token);
};

test('account_id finds the events of an account, and none of another that has its slug now', async () => {
  // In either case, as ids are.
  for (const id of [renamed.id, renamed.id.toUpperCase()]) {
    expect(await get(`?account_id=${id}`)).toEqual([expect.objectContaining({ id: ofRenamed })]);
    expect(await get(`/count?account_id=${id}`)).toMatchObject({ count: 1 });
  }
  expect(await get(`?account_id=${taker.id}&account_slug=taken-over`)).toHaveLength(2);
  expect(await get(`?account_id=${renamed.id}&account_slug=renamed`)).toEqual([]);
  const exported = await fetch(`${gateway.baseUrl}/admin/events/export?account_id=${renamed.id}`, {
    headers: { 'x-admin-token': gateway.adminToken },
  });
  expect(JSON.parse(await exported.text()).id).toBe(ofRenamed);
  const filter = { account_id: renamed.id };
  const dry = await gateway.admin.post('/admin/events/bulk', { action: 'ack', filter, dry_run: true });
  expect(dry.body).toMatchObject({ matched: 1 });
  const found = await gateway.admin.post('/admin/events/search', { text: '{', ...filter });
  expect(found.body.scanned.events).toBe(1);
});

test.each(['?account_id=shop', '/count?account_id=', '/rejected?account_id=1'])('%s is refused', async (path) => {
  expect((await gateway.admin.request('GET', `/admin/events${path}`)).status).toBe(422);
});

test('account_id does not widen the scope of a token', async () => {
  const client = await tokenOf(renamed.id);
  const outside = `account_id=${taker.id}`;
  expect(await get(`?${outside}`, client)).toEqual([]);
  expect(await get(`/count?${outside}`, client)).toMatchObject({ count: 0 });
  const filter = { account_id: taker.id };
  const dry = await client.post('/admin/events/bulk', { action: 'ack', filter, dry_run: true });
  expect(dry.body).toMatchObject({ matched: 0 });
  const replayed = await client.post(`/admin/events/replay-failed?${outside}`);
  expect(replayed).toMatchObject({ status: 202, body: { replayed: 0 } });
  expect(await gateway.rows('select id from events where generation > 0')).toEqual([]);
});

test('replay-failed with account_id replays the failed events of this account only', async () => {
  const { body } = await gateway.admin.post(`/admin/events/replay-failed?account_id=${renamed.id.toUpperCase()}`);
  expect(body).toEqual({ replayed: 1, left_out: 0 });
  expect(await gateway.rows('select id from events where generation > 0')).toEqual([{ id: ofRenamed }]);
});

test('a stream of an account reports only its events', async () => {
  const stream = await openStream(gateway, { query: `?account_id=${renamed.id}` });
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  await gateway.send({ provider: 'generic', account_slug: 'taken-over' }, '{"id":"of-taker"}');
  await gateway.send({ provider: 'generic', account_slug: 'renamed' }, '{"id":"of-renamed"}');
  await stream.next('its event', ({ event, data }) => event === 'event' && data.external_id === 'of-renamed');
  expect(stream.text()).not.toContain(taker.id);
  await stream.close();
});
