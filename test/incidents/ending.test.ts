import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { addIncidentCounts } from '../../src/incidents/counting/write-counts.ts';
import { consumersOf } from '../consumers/support.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { openStage, useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { answer, answers, flappingPace, incidentsOf, sendSome, shortPace } from './support.ts';

// As in production, with seconds in place of minutes.
const stage = useStage({ delaysMs: slowDelaysMs, incidents: shortPace });
const incidents = () => incidentsOf(stage.gateway);

/** A consumer that has failed five times, and its open incident. */
async function broken(text = 'broken') {
  const consumer = await stage.consumer(answer(500, text));
  const account = await stage.gateway.admin.createAccount({ delivery_url: consumer.url });
  const send = (count: number) => sendSome(stage.gateway, account, consumer, count);
  const ids = await send(5);
  const incident = await incidents().one(account.id, ({ state }) => state === 'open');
  return { consumer, account, send, ids, incident };
}

const resolvedIncident = (accountId: string) => incidents().one(accountId, ({ state }) => state === 'resolved');

test('two successes and a time without a failure resolve an incident; what waits stays in it', async () => {
  const { consumer, account, send, ids, incident } = await broken();
  consumer.replies = [200];
  await send(1);
  // A single success shows little.
  const at = Date.now();
  await until('the time without a failure is over', () => Date.now() - at > 2_500);
  expect((await incidents().read(incident.id)).body.state).toBe('open');
  await send(1);
  const resolved = await resolvedIncident(account.id);
  expect(resolved).toMatchObject({ id: incident.id, resolved_by: null, waiting: 5, exhausted: 0, attempts: 5 });
  expect(resolved.resolved_at).not.toBeNull();
  // A newer one that is over, and was checked a moment before its last event was.
  await stage.gateway.rows(
    `insert into incidents (id, kind, state, account_id, cause, first_seen_at, last_seen_at, resolved_at, checked_at)
     values ($1, 'delivery', 'resolved', $2, '500 over', now(), now(), now(), now())`,
    [uuidv7(), account.id],
  );
  for (const limit of [1, 2]) {
    const unfinished = await incidents().list(`?account_id=${account.id}&state=unfinished&limit=${limit}`);
    expect(unfinished.map(({ id }) => id)).toEqual([incident.id]);
  }
  for (const id of ids) expect((await stage.operate.replay(id)).status).toBe(202);
  for (const id of ids) await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(await incidents().list(`?account_id=${account.id}&state=unfinished`)).toEqual([]);
  expect((await incidents().read(incident.id)).body).toMatchObject({ waiting: 0, exhausted: 0 });
});

test('an incident that has resolved by itself and has no event left is not looked at again', async () => {
  const { consumer, account, ids, incident } = await broken();
  consumer.replies = [200];
  for (const id of ids) expect((await stage.operate.replay(id)).status).toBe(202);
  for (const id of ids) await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  await resolvedIncident(account.id);
  await until('it is marked as finished', async () => {
    const [row] = await stage.gateway.rows('select finished_at from incidents where id = $1', [incident.id]);
    return row?.finished_at instanceof Date;
  });
});

test('a person closes an incident that has resolved by itself with events left', async () => {
  const { consumer, account, send, incident } = await broken();
  consumer.replies = [200];
  await send(2);
  const resolved = await resolvedIncident(account.id);
  const { status, body } = await incidents().patch(incident.id, { state: 'resolved', note: 'test orders' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    resolved_by: 'tester',
    resolved_at: resolved.resolved_at,
    note: 'test orders',
    waiting: 5,
  });
  expect(await incidents().list(`?account_id=${account.id}&state=unfinished`)).toEqual([]);
});

test('the same cause reopens its incident soon after the end, and has a new one later', async () => {
  const { consumer, account, send, incident } = await broken();
  consumer.replies = [200];
  await send(2);
  await resolvedIncident(account.id);
  consumer.replies = [answer(500, 'broken')];
  await send(5);
  // The first failure opens it again, and the others are counted after it.
  const again = await incidents().one(account.id, ({ state, attempts }) => state === 'open' && attempts === 10);
  expect(again).toMatchObject({ id: incident.id, attempts: 10, resolved_at: null, waiting: 10 });
  expect(again.reopened_at).not.toBeNull();
  expect(again.first_seen_at).toBe(incident.first_seen_at);
  consumer.replies = [200];
  await send(2);
  const { resolved_at } = await resolvedIncident(account.id);
  await until('the end was long ago', () => Date.now() - Date.parse(resolved_at) > 61_000);
  consumer.replies = [answer(500, 'broken')];
  await send(5);
  const other = await incidents().one(account.id, ({ state }) => state === 'open');
  expect(other.id).not.toBe(incident.id);
  expect(other).toMatchObject({ attempts: 5, reopened_at: null });
});

test('a single failure reopens it soon after the end, unless a person has closed it', async () => {
  const { consumer, account, send, incident } = await broken();
  consumer.replies = [200];
  await send(2);
  await resolvedIncident(account.id);
  consumer.replies = [answer(500, 'broken'), 200];
  await send(1);
  const again = await incidents().one(account.id, ({ state }) => state === 'open');
  expect(again).toMatchObject({ id: incident.id, attempts: 6 });
  expect(again.reopened_at).not.toBeNull();

  await incidents().patch(incident.id, { state: 'resolved', note: 'known' });
  consumer.replies = [answer(500, 'broken'), 200];
  await send(3);
  const at = Date.now();
  await until('it is judged', () => Date.now() - at > 1_000);
  expect((await incidents().read(incident.id)).body.state).toBe('resolved');
});

test.each<[where: string, successes: [count: number, firstMs: number, lastMs: number][]]>([
  ['after it', [[3, 1, 3]]],
  [
    'around it and after it',
    [
      [3, -2, 2],
      [1, 3, 3],
    ],
  ],
])('a failure that reopens it, counted together with successes %s, does not keep it open', async (_, successes) => {
  const { consumer, account, send, ids, incident } = await broken();
  consumer.replies = [200];
  await send(2);
  await resolvedIncident(account.id);
  const failedMs = Date.now();
  const [event = ''] = ids;
  const owner = { kind: 'delivery' as const, accountId: account.id, consumerId: account.id, opens: false };
  const times = { firstMs: failedMs, lastMs: failedMs, example: event, oldest: event };
  await addIncidentCounts(stage.gateway.database, [
    { ...owner, ...times, cause: incident.cause, failed: 1, succeeded: 0 },
    ...successes.map(([succeeded, firstMs, lastMs]) => ({
      ...{ ...owner, cause: null, failed: 0, succeeded, example: null, oldest: null },
      ...{ firstMs: failedMs + firstMs, lastMs: failedMs + lastMs },
    })),
  ]);
  // It is open for only three seconds, so that its state may already be another one.
  const again = await incidents().one(account.id, ({ reopened_at }) => reopened_at !== null);
  expect(again).toMatchObject({ id: incident.id, attempts: 6 });
  await resolvedIncident(account.id);
});

test('a consumer that fails and succeeds in turn is one incident', async () => {
  const stage = await forTest(openStage({ delaysMs: slowDelaysMs, incidents: flappingPace }));
  // Six bad ones and six good ones in turn: less than the time without a failure, as 10 s of 60 s.
  let delivered = 0;
  const isBad = () => Math.floor(delivered++ / 6) % 2 === 0;
  const consumer = await stage.consumer(answers(() => (isBad() ? [500, 'flapping'] : [200, ''])));
  const account = await stage.gateway.admin.createAccount({ delivery_url: consumer.url });
  const startMs = Date.now();
  // Without the later failures it would resolve after 30 s.
  while (Date.now() - startMs < 45_000) {
    await sendSome(stage.gateway, account, consumer, 1);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  const found = await incidentsOf(stage.gateway).list(`?account_id=${account.id}`);
  expect(found).toMatchObject([{ cause: '500 flapping', state: 'open', reopened_at: null }]);
});

test('incidents of a deleted consumer and of a deleted account resolve', async () => {
  const { account, incident } = await broken();
  const second = await stage.consumer(answer(503, 'second'));
  await consumersOf(stage.gateway, account.id).made('billing', { url: second.url });
  await sendSome(stage.gateway, account, second, 5);
  const ofSecond = await incidents().one(account.id, ({ cause, state }) => cause === '503 second' && state === 'open');
  await consumersOf(stage.gateway, account.id).delete('billing');
  await incidents().one(account.id, ({ id, state }) => id === ofSecond.id && state === 'resolved');
  expect((await incidents().read(incident.id)).body.state).toBe('open');
  await stage.operate.deleteAccount(account.id);
  const ended = await incidents().one(account.id, ({ id, state }) => id === incident.id && state === 'resolved');
  expect(ended).toMatchObject({ account_slug: account.account_slug, resolved_by: null });
  expect(await incidents().list(`?account_id=${account.id}&state=unfinished`)).toEqual([]);
});

test('a pause keeps an incident open, and shows in it', async () => {
  const { account, incident } = await broken();
  await stage.gateway.admin.post(`/admin/accounts/${account.id}/pause`, { reason: 'repair' });
  const at = Date.now();
  await until('it could have resolved', () => Date.now() - at > 2_500);
  const { body } = await incidents().read(incident.id);
  expect(body).toMatchObject({ state: 'open', paused: { by: 'account', reason: 'repair' } });
});
