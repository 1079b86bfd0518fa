import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { inTransaction, sqlOfClient } from '../../src/database/transaction.ts';
import { channels } from '../../src/events/event.ts';
import { replay, replayFailed } from '../../src/events/transitions/replayed.ts';
import { insertConsumer } from '../support/consumers.ts';
import { until } from '../support/until.ts';
import { dayMs, event, failedEvents, gateway, gatewayForEachTest, generations, other, state } from './failed-events.ts';
import { fillEvents } from './fill-events.ts';

gatewayForEachTest();

test('replays failed events of any day, and skips acknowledged, dead, rejected, pending and delivered ones', async () => {
  const gone = await gateway.admin.createAccount({});
  await gateway.admin.request('DELETE', `/admin/accounts/${gone.id}`);
  const receivedAt = (days: number) => ({ receivedAt: new Date(Date.now() - days * dayMs) });
  const taken = await fillEvents(gateway.database, [
    event('failed', 'failed'),
    event('failed', 'failed', { failedByPerson: true, ...receivedAt(3) }),
    event('failed', 'delivered', receivedAt(3)),
    event('failed', 'pending', receivedAt(100)),
    event('enqueued', 'failed', receivedAt(-20)),
  ]);
  const left = await fillEvents(gateway.database, [
    event('dead', 'failed'),
    event('processed', 'failed', receivedAt(3)),
    event('dead', 'delivered'),
    event('failed', null),
    event('rejected', null),
    event('enqueued', 'delivered'),
    event('processed', 'delivered'),
    event('enqueued', 'pending'),
    event('failed', 'failed', { accountId: gone.id }),
  ]);
  expect(await replayFailed(gateway.database)).toBe(taken.length);
  const replayed = await gateway.rows('select id from events where generation = 1');
  expect(replayed.map(({ id }) => id).sort()).toEqual([...taken].sort());
  expect(await gateway.rows('select id from events where id = any($1) and generation = 0', [left])).toHaveLength(
    left.length,
  );
  expect(await replayFailed(gateway.database)).toBe(0);
});

test('resets each event as the replay of a single event does', async () => {
  const [one, many] = await fillEvents(gateway.database, failedEvents(2, 1));
  await gateway.database.pool.query(
    `update events set scheduled_attempts = 10, manual_attempts = 2, last_error = 'no', response_code = 500, held_since = now(), delivered_at = now()`,
  );
  // Including an event that is queued and claimed.
  await gateway.database.pool.query(
    `insert into event_queue (event_id, account_id, generation, lane, direct, claimed_until, claim_token)
     select id, account_id, 0, 2, true, now() + interval '1 minute', $1 from events`,
    [randomUUID()],
  );
  await replay(gateway.database, one ?? '');
  expect(await replayFailed(gateway.database)).toBe(1);
  expect(await state(many)).toEqual(await state(one));
  expect(await state(many)).toMatchObject({
    status: 'received',
    delivery_status: 'pending',
    generation: 1,
    attempts: 0,
    fresh: true,
  });
});

test('filters by application, by provider and by both, and quotes their names', async () => {
  const names = ['app', `it's "%L" \\ '; drop table events; --`];
  const events = names.flatMap((appKey) =>
    ['generic', 'mail'].map((provider) => event('failed', 'failed', { appKey, provider })),
  );
  await fillEvents(gateway.database, events);
  expect(await replayFailed(gateway.database, { app_key: 'absent' })).toBe(0);
  expect(await replayFailed(gateway.database, { app_key: names[1], provider: 'mail' })).toBe(1);
  expect(await replayFailed(gateway.database, { app_key: names[1] })).toBe(1);
  expect(await replayFailed(gateway.database, { provider: 'mail' })).toBe(1);
  expect(await replayFailed(gateway.database)).toBe(1);
});

test('filters by account and by the time of receipt, both ends exclusive, to the millisecond', async () => {
  const at = new Date(Date.now() - dayMs);
  const after = (ms: number) => new Date(at.getTime() + ms);
  await fillEvents(gateway.database, [
    ...[-1, 0, 1].map((ms) => event('failed', 'failed', { receivedAt: after(ms) })),
    event('failed', 'delivered', { receivedAt: at, accountSlug: 'other' }),
  ]);
  const { database } = gateway;
  expect(await replayFailed(database, { since: after(1) })).toBe(0);
  expect(await replayFailed(database, { until: after(-1) })).toBe(0);
  expect(await replayFailed(database, { since: at, until: after(1) })).toBe(0);
  expect(await replayFailed(database, { account_slug: 'other', since: after(-1), until: after(1) })).toBe(1);
  expect(await replayFailed(database, { since: new Date('0001-01-01'), until: at })).toBe(1);
  expect(await replayFailed(database, { since: at, until: new Date('9999-12-31') })).toBe(1);
  expect(await replayFailed(database, { until: new Date(-1) })).toBe(0);
  expect(await replayFailed(database, { since: after(-1) })).toBe(1);
});

test('filters by consumer, and leaves events of deleted consumers', async () => {
  const { database } = gateway;
  const made = (name: string, deleted = false) =>
    insertConsumer(database, { accountId: event('failed', 'failed').accountId, name, deleted });
  const [billing, old] = [await made('billing'), await made('billing', true)];
  await fillEvents(
    database,
    [null, billing, billing, old].map((consumerId) => event('failed', 'failed', { consumerId })),
  );
  expect(await replayFailed(database, { consumer: `it's "%L"` })).toBe(0);
  expect(await replayFailed(database, { consumer: 'billing' })).toBe(2);
  expect(await replayFailed(database, { consumer: 'default' })).toBe(1);
  expect(await replayFailed(database)).toBe(0);
  expect(await generations()).toEqual([
    { generation: 0, n: 1 },
    { generation: 1, n: 3 },
  ]);
});

test('wakes the relay only if an event was replayed', async () => {
  let told = 0;
  other.on('notification', () => told++);
  await other.query(`listen ${channels.queue}`);
  expect(await replayFailed(gateway.database)).toBe(0);
  await other.query('select 1');
  expect(told).toBe(0);
  await fillEvents(gateway.database, failedEvents(3));
  await replayFailed(gateway.database);
  await until('the relay is told', async () => told > 0);
});

test('is part of its caller’s transaction', async () => {
  await fillEvents(gateway.database, failedEvents(10));
  const rolledBack = inTransaction(gateway.database.pool, async (client) => {
    expect(await replayFailed(sqlOfClient(client))).toBe(10);
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  expect(await generations()).toEqual([{ generation: 0, n: 10 }]);
  expect(await gateway.rows('select * from event_queue')).toEqual([]);
});
