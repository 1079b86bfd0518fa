import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { slowDelaysMs } from '../support/gateway.ts';
import { withClient } from '../support/one-connection.ts';
import { secretText } from '../support/secrets.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';
import { answer, incidentsOf, quickPace, sendSome } from './support.ts';

const readToken = secretText('read-token');
const stage = useStage({
  ...{ delaysMs: slowDelaysMs, incidents: quickPace },
  adminTokens: [{ name: 'reader', token: readToken, role: 'read' }],
});
const incidents = () => incidentsOf(stage.gateway);

async function broken() {
  const consumer = await stage.consumer(answer(500, 'broken'));
  const account = await stage.gateway.admin.createAccount({ delivery_url: consumer.url });
  await sendSome(stage.gateway, account, consumer, 5);
  const { id } = await incidents().one(account.id);
  return { account, consumer, id };
}

async function entriesOf(id: string) {
  const { body } = await stage.gateway.admin.request('GET', '/admin/audit-logs?action=incident.update&limit=20');
  return body
    .filter(({ details }: { details: { incident_id: string } }) => details.incident_id === id)
    .map(({ actor, details }: { actor: string; details: object }) => ({ actor, ...details }));
}

test('a person acknowledges an incident, takes it back, and closes it, each with an entry', async () => {
  const { id } = await broken();
  const acknowledged = await incidents().patch(id, { state: 'acknowledged' });
  expect(acknowledged.body).toMatchObject({ id, state: 'acknowledged', acknowledged_by: 'tester', note: null });
  expect(acknowledged.body.acknowledged_at).not.toBeNull();
  const again = await incidents().patch(id, { state: 'acknowledged', note: 'mine' });
  expect(again.body).toMatchObject({ acknowledged_at: acknowledged.body.acknowledged_at, note: 'mine' });
  const open = await incidents().patch(id, { state: 'open' });
  expect(open.body).toMatchObject({ state: 'open', acknowledged_by: null, acknowledged_at: null, note: 'mine' });
  const closed = await incidents().patch(id, { state: 'resolved', note: null });
  expect(closed.body).toMatchObject({ state: 'resolved', resolved_by: 'tester', note: null });
  expect(await entriesOf(id)).toEqual([
    { actor: 'tester', status: 200, incident_id: id, state: 'resolved', note: false },
    { actor: 'tester', status: 200, incident_id: id, state: 'open' },
    { actor: 'tester', status: 200, incident_id: id, state: 'acknowledged', note: true },
    { actor: 'tester', status: 200, incident_id: id, state: 'acknowledged' },
  ]);
});

test('an incident that a person has closed is open again after five more failures in a row', async () => {
  const { id, account, consumer } = await broken();
  await incidents().patch(id, { state: 'resolved' });
  for (let n = 0; n < 4; n += 1) {
    await sendSome(stage.gateway, account, consumer, 1);
    const at = Date.now();
    const waiting = `select from incident_counts where cause = '500 broken' and not added`;
    const isJudged = async () => Date.now() - at > 600 && (await stage.gateway.rows(waiting)).length === 0;
    await until('it was written and judged', isJudged);
    expect((await incidents().read(id)).body.state).toBe('resolved');
  }
  await sendSome(stage.gateway, account, consumer, 1);
  expect(await incidents().one(account.id, ({ state }) => state === 'open')).toMatchObject({ id, resolved_by: null });
});

test('a resolved incident is not acknowledged, and is opened again only as the only one of its cause', async () => {
  const { id, account } = await broken();
  await incidents().patch(id, { state: 'resolved' });
  expect(await incidents().patch(id, { state: 'acknowledged' })).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  });
  expect((await incidents().patch(id, { state: 'open' })).body).toMatchObject({ state: 'open', resolved_at: null });
  await incidents().patch(id, { state: 'resolved' });
  await stage.gateway.rows(
    `insert into incidents (id, kind, account_id, cause, first_seen_at, last_seen_at)
     values (gen_random_uuid(), 'delivery', $1, '500 broken', now(), now())`,
    [account.id],
  );
  expect(await incidents().patch(id, { state: 'open' })).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

test('one of the same cause that the gateway opens during the order is named', async () => {
  const { id, account } = await broken();
  await incidents().patch(id, { state: 'resolved' });
  const other = randomUUID();
  const answered = await withClient(stage.gateway.databaseUrl, async (judge) => {
    await judge.query('begin');
    await judge.query(
      `insert into incidents (id, kind, account_id, cause, first_seen_at, last_seen_at)
       values ($1, 'delivery', $2, '500 broken', now(), now())`,
      [other, account.id],
    );
    const order = incidents().patch(id, { state: 'open' });
    const waits = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ~ 'update incidents'`;
    await until('the order waits for the other', async () => (await stage.gateway.rows(waits)).length > 0);
    await judge.query('commit');
    return order;
  });
  expect(answered).toMatchObject({ status: 409, body: { code: 'conflict', detail: expect.stringContaining(other) } });
});

test('a token with the role read sees incidents and changes none', async () => {
  const { id } = await broken();
  const request = (method: string, body?: unknown) =>
    fetch(`${stage.gateway.baseUrl}/admin/incidents/${id}`, {
      ...{ method, headers: { 'x-admin-token': readToken, 'content-type': 'application/json' } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  expect((await request('GET')).status).toBe(200);
  expect((await request('PATCH', { state: 'resolved' })).status).toBe(403);
  expect((await incidents().read(id)).body.state).toBe('open');
});

describe('bad input', () => {
  let id: string;
  beforeAll(async () => {
    ({ id } = await broken());
  });

  test.each([
    [{}],
    [{ state: 'closed' }],
    [{ state: null }],
    [{ note: 'x'.repeat(2_001) }],
    [{ note: 'nul \u0000' }],
    [{ state: 'resolved', cause: 'another' }],
    [[]],
  ])('a PATCH with %j is 422', async (body) => {
    expect(await incidents().patch(id, body)).toMatchObject({ status: 422, body: { code: 'invalid' } });
  });

  test.each([
    'state=closed',
    'state=',
    'state=open,',
    'kind=other',
    'account_id=1',
    'limit=0',
    'limit=1001',
    'cause=500',
  ])('a list with %s is 422', async (query) => {
    const answered = await stage.gateway.admin.request('GET', `/admin/incidents?${query}`);
    expect(answered).toMatchObject({ status: 422, body: { code: 'invalid' } });
  });

  test.each(['nope', '01900000-0000-7000-8000-000000000001'])('the incident %s does not exist', async (unknown) => {
    expect(await incidents().read(unknown)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await incidents().patch(unknown, { state: 'open' })).toMatchObject({ status: 404 });
  });

  test('events of an unknown incident are none, and of no id 422', async () => {
    const events = (incident: string) => stage.gateway.admin.request('GET', `/admin/events?incident=${incident}`);
    expect((await events('01900000-0000-7000-8000-000000000001')).body).toEqual([]);
    expect((await events('nope')).status).toBe(422);
  });
});

test('lists are filtered by state, kind, account and consumer, newest first', async () => {
  const [first, second] = [await broken(), await broken()];
  await incidents().patch(first.id, { state: 'acknowledged' });
  const ids = async (query: string) => (await incidents().list(query)).map(({ id }) => id);
  const open = await ids('?state=open');
  expect(open).toContain(second.id);
  expect(open).not.toContain(first.id);
  const both = (await ids('?state=open,acknowledged')).filter((id) => id === first.id || id === second.id);
  expect(both).toEqual([second.id, first.id]);
  expect(await ids(`?account_slug=${first.account.account_slug}`)).toEqual([first.id]);
  expect(await ids(`?account_id=${first.account.id}&kind=rejections`)).toEqual([]);
  expect(await ids('?limit=1')).toHaveLength(1);
});

test('a bulk job replays the events of an incident and no others', async () => {
  const { id, account, consumer } = await broken();
  consumer.replies = [200];
  const [delivered = ''] = await sendSome(stage.gateway, account, consumer, 1);
  const order = { action: 'replay', filter: { incident: id } };
  const dry = await stage.gateway.admin.post('/admin/events/bulk', { ...order, dry_run: true });
  expect(dry.body).toEqual({ dry_run: true, matched: 5, exact: true, left_out: 0 });
  expect((await stage.gateway.admin.post('/admin/events/bulk', order)).status).toBe(202);
  await incidents().one(account.id, ({ waiting }) => waiting === 0);
  expect((await stage.gateway.admin.event(delivered)).generation).toBe(0);
});
