import { expect, test } from 'vitest';
import { ack } from '../../src/events/transitions/acknowledged.ts';
import { declareDead } from '../../src/events/transitions/declared-dead.ts';
import { applyWaitingReplays, replay, replayFailed } from '../../src/events/transitions/replayed.ts';
import { retry } from '../../src/events/transitions/retried.ts';
import { groupsOf } from '../support/groups-of.ts';
import { until } from '../support/until.ts';
import { useForEach } from '../support/use.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';
import { fillEvents } from './fill-events.ts';

// More than the 2,000 that are replayed within the call.
const many = 2_500;
const dayMs = 86_400_000;

const gateway = useGatewayPerTest({ worker: false });
const account = useForEach(() => gateway.admin.createAccount({ app_key: 'app' }));

const failedEvents = (n: number, appKey = 'app') =>
  fillEvents(
    gateway.database,
    Array.from({ length: n }, (_, i) => ({
      receivedAt: new Date(Date.now() - (i % 5) * dayMs),
      accountId: account.id,
      provider: 'generic',
      accountSlug: 'slug',
      appKey,
      eventType: null,
      externalId: 'x',
      status: 'failed',
      deliveryStatus: 'failed',
      attempts: 10,
      deliveredAt: null,
      nextAttemptAt: null,
    })),
  );
const count = async (condition: string) => {
  const [row] = await gateway.rows(`select count(*)::integer as n from ${condition}`);
  return row?.n;
};
const applyAll = async () => {
  while (await applyWaitingReplays(gateway.database));
};
const stateOf = async (id: string) =>
  (await gateway.rows('select status, delivery_status, generation from events where id = $1', [id]))[0];

test('a replay of many events is noted, and applied in batches, each event once', async () => {
  await failedEvents(many);
  const counts = await Promise.all([replayFailed(gateway.database), replayFailed(gateway.database)]);
  expect(counts.sort((a, b) => a - b)).toEqual([0, many]);
  expect(await count('event_replays')).toBe(many);
  expect(await count(`events where generation > 0`)).toBe(0);
  await Promise.all([applyAll(), applyAll(), applyAll()]);
  expect(await count(`events where generation = 1 and status = 'received' and delivery_status = 'pending'`)).toBe(many);
  expect(await count('event_queue where generation = 1 and lane = 0')).toBe(many);
  expect(await count('event_replays')).toBe(0);
});

test('the function that the release before calls replays the same events', async () => {
  await failedEvents(3);
  await failedEvents(2, 'other');
  expect(await gateway.rows(`select replay_failed_events('app', null) as replayed`)).toEqual([{ replayed: 3 }]);
  expect(await count('events where generation = 1')).toBe(3);
  expect(await gateway.rows(`select replay_failed_events('app', null) as replayed`)).toEqual([{ replayed: 0 }]);
});

test('a worker applies noted replays', async () => {
  await failedEvents(many);
  const answer = await gateway.admin.post('/admin/events/replay-failed');
  expect(answer).toMatchObject({ status: 202, body: { replayed: many } });
  await gateway.startWorker();
  await until('all are replayed', async () => (await count('events where generation = 1')) === many);
  expect(await count('event_replays')).toBe(0);
  expect(await count(`event_actions where action = 'replay' and actor = 'tester' and generation = 1`)).toBe(many);
});

test.each([
  ['ack', ack, { status: 'processed', delivery_status: 'delivered', generation: 1 }],
  ['replay', replay, { status: 'received', delivery_status: 'pending', generation: 2 }],
  ['retry', retry, { status: 'received', delivery_status: 'pending', generation: 1 }],
  [
    'dead',
    (sql: Parameters<typeof declareDead>[0], id: string) => declareDead(sql, id, null),
    { status: 'dead', delivery_status: 'failed', generation: 1 },
  ],
] as const)('%s of an event with a noted replay is applied after that replay', async (_name, operate, expected) => {
  const [id = ''] = await failedEvents(many);
  expect(await replayFailed(gateway.database)).toBe(many);
  expect(await stateOf(id)).toMatchObject({ status: 'failed', generation: 0 });
  expect(await operate(gateway.database, id)).toMatchObject({ ok: true });
  expect(await stateOf(id)).toEqual(expected);
  await applyAll();
  expect(await stateOf(id)).toEqual(expected);
  expect(await count('events where generation = 1 or generation = 2')).toBe(many);
});

test('a noted replay is dropped if its event is no longer failed or its account was deleted', async () => {
  const [delivered = '', dead = ''] = await failedEvents(many);
  await replayFailed(gateway.database);
  await gateway.rows(`update events set status = 'enqueued', delivery_status = 'delivered' where id = $1`, [delivered]);
  await gateway.rows(`update events set status = 'dead' where id = $1`, [dead]);
  await applyWaitingReplays(gateway.database);
  await gateway.admin.request('DELETE', `/admin/accounts/${account.id}`);
  await applyAll();
  expect(await count('event_replays')).toBe(0);
  expect(await stateOf(delivered)).toMatchObject({ status: 'enqueued', generation: 0 });
  expect(await stateOf(dead)).toMatchObject({ status: 'dead', generation: 0 });
  // The first batch was replayed before the account was deleted, and the deletion ended its deliveries.
  const replayed = await count('events where generation = 1');
  expect(replayed).toBeGreaterThan(900);
  expect(replayed).toBeLessThan(1_001);
  expect(await count(`events where generation = 1 and delivery_status <> 'failed'`)).toBe(0);
});

test('concurrent operators and workers: each event is replayed once, and the commands are applied after it', async () => {
  const ids = await failedEvents(many);
  await replayFailed(gateway.database);
  const some = ids.filter((_, i) => i % 10 === 0);
  const ackSome = async () => {
    // Fewer at a time than there are connections.
    for (const group of groupsOf(some, 10)) {
      const acked = await Promise.all(group.map((id) => ack(gateway.database, id)));
      expect(acked.every(({ ok }) => ok)).toBe(true);
    }
  };
  await Promise.all([ackSome(), applyAll(), applyAll()]);
  expect(await count(`events where generation = 1`)).toBe(many);
  expect(await count(`events where status = 'processed' and delivery_status = 'delivered'`)).toBe(some.length);
});

test('only events that match the filters are noted', async () => {
  await failedEvents(many, 'app');
  await failedEvents(many, 'other');
  expect(await replayFailed(gateway.database, { app_key: 'other', provider: 'generic' })).toBe(many);
  expect(await replayFailed(gateway.database, { app_key: 'other', provider: 'support_chat' })).toBe(0);
  await applyAll();
  expect(await count(`events where generation = 1 and app_key = 'other'`)).toBe(many);
  expect(await count(`events where generation = 1 and app_key = 'app'`)).toBe(0);
});
