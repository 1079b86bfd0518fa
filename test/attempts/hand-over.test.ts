import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { ack } from '../../src/events/transitions/acknowledged.ts';
import { endClaimsExcept } from '../../src/processes/process-rows.ts';
import type { Delivery } from '../support/consumer.ts';
import { type Process, useQueueStage } from '../support/queue-stage.ts';
import { receivedEvent } from '../support/received.ts';
import { heldBack } from '../support/replies.ts';
import { until } from '../support/until.ts';

// The process that stores an event makes its first attempt, without a claim.

const stage = useQueueStage();
/** After which an event is read again before its attempt, and 100 ms more. */
const freshMs = 1_100;

/** Starts a relay and waits until it has looked at the queue, so that it knows of no events that wait there. */
async function startedRelay(options: Parameters<typeof stage.process>[0] = {}): Promise<Process> {
  const process = stage.process(options);
  await begin(process);
  return process;
}
async function begin({ firstAttempts }: Process): Promise<void> {
  firstAttempts.start();
  const probed = await stage.account();
  await stage.send(probed, 1);
  firstAttempts.wake();
  await until('it has delivered an event of the queue', () => probed.consumer.deliveries.length === 1);
}
const receiverOf = ({ firstAttempts }: Process) =>
  new EventReceiver(stage.gateway.database, () => firstAttempts.handOver);
const claimOf = async (id: string) =>
  (await stage.gateway.rows('select lane, claim_token from event_queue where event_id = $1', [id]))[0];
const idsOf = (deliveries: Delivery[]) => deliveries.map(({ headers }) => headers['webhook-id']);

test('an event is delivered by the process that has stored it', async () => {
  const account = await stage.account();
  const process = await startedRelay();
  const event = receivedEvent(account);
  // No worker polls the task queue of this stage, so a workflow would not make the attempt.
  expect(await receiverOf(process).receive(event)).toEqual({ kind: 'stored' });
  await until('it is recorded', async () => (await claimOf(event.id))?.lane === 2);
  expect(idsOf(account.consumer.deliveries)).toEqual([event.id]);
  expect(await claimOf(event.id)).toEqual({ lane: 2, claim_token: null });
});

test('its row in the queue is claimed by the statement that stores it', async () => {
  const { release, reply } = heldBack();
  const account = await stage.account(reply);
  const process = await startedRelay();
  const event = receivedEvent(account);
  await receiverOf(process).receive(event);
  await until('it arrives', () => account.consumer.deliveries.length === 1);
  const [row] = await stage.gateway.rows(
    'select q.claim_token, q.xmin = e.xmin as at_once from event_queue q join events e on e.id = q.event_id where e.id = $1',
    [event.id],
  );
  expect(row).toEqual({ claim_token: process.claims.token, at_once: true });
  release();
});

test('a duplicate acquires no slot and is not delivered', async () => {
  const account = await stage.account();
  const process = await startedRelay();
  const receiver = receiverOf(process);
  const event = receivedEvent(account, { dedupKey: randomUUID() });
  const again = { ...receivedEvent(account), dedupKey: event.dedupKey };
  expect(await receiver.receive(event)).toEqual({ kind: 'stored' });
  expect(await receiver.receive(again)).toEqual({ kind: 'duplicate' });
  await until('the first is recorded', async () => (await claimOf(event.id))?.lane === 2);
  await until('its slot is free', () => process.attempts.slots.free(performance.now()).size === 0);
  expect(account.consumer.deliveries).toHaveLength(1);
});

test('events of a slow consumer wait in memory in their order, and those beyond wait in the queue', async () => {
  const { release, reply } = heldBack();
  const account = await stage.account(reply);
  const process = await startedRelay({ accountConcurrency: 1 });
  const receiver = receiverOf(process);
  // Ids of the same millisecond are in no order, and claims take events in the order of their ids.
  const events = Array.from({ length: 300 }, () => receivedEvent(account)).sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const event of events) await receiver.receive(event);
  const [counted] = await stage.gateway.rows(
    'select count(*) filter (where claim_token is not null)::integer as claimed, count(*)::integer as n from event_queue where account_id = $1',
    [account.id],
  );
  // One attempt in flight, and the longest line.
  expect(counted).toEqual({ claimed: 257, n: 300 });
  expect(account.consumer.deliveries).toHaveLength(1);
  release();
  await until('all are delivered', () => account.consumer.deliveries.length === 300);
  expect(idsOf(account.consumer.deliveries)).toEqual(events.map(({ id }) => id));
});

test('what waits in memory when the process stops is claimed by another one', async () => {
  const { release, reply } = heldBack();
  const account = await stage.account(reply, 200);
  const stopping = await stage.alive({ accountConcurrency: 1 });
  await begin(stopping);
  const receiver = receiverOf(stopping);
  const events = Array.from({ length: 3 }, () => receivedEvent(account));
  for (const event of events) await receiver.receive(event);
  await until('the first one arrives', () => account.consumer.deliveries.length === 1);
  release();
  await stopping.firstAttempts.stop();
  await stopping.heartbeat.stop();
  const other = stage.process();
  other.firstAttempts.start();
  await until('all are delivered', () => account.consumer.deliveries.length === 3);
  expect(new Set(idsOf(account.consumer.deliveries)).size).toBe(3);
});

test('a stopped process takes over no event, and its webhooks are still stored', async () => {
  const account = await stage.account();
  const process = await startedRelay();
  await process.firstAttempts.stop();
  const event = receivedEvent(account);
  expect(await receiverOf(process).receive(event)).toEqual({ kind: 'stored' });
  expect(await claimOf(event.id)).toEqual({ lane: 0, claim_token: null });
});

test('a process without a heartbeat takes over no event', async () => {
  const account = await stage.account();
  let isAlive = true;
  const process = await startedRelay({ isAlive: () => isAlive });
  isAlive = false;
  const event = receivedEvent(account);
  await receiverOf(process).receive(event);
  expect((await claimOf(event.id))?.claim_token).toBeNull();
});

test('an event that is stored while the process ends claims that it does not hold is claimed afterwards', async () => {
  const { release, reply } = heldBack();
  const account = await stage.account(reply);
  const process = await startedRelay();
  const { token } = process.claims;
  const event = receivedEvent(account);
  await process.claims.settle(async (held) => {
    expect(await receiverOf(process).receive(event)).toEqual({ kind: 'stored' });
    // PostgreSQL carries the statement out only now.
    expect(await endClaimsExcept(stage.gateway.database, token, held, 'infinity')).toBe(0);
  });
  await until('it arrives', () => account.consumer.deliveries.length === 1);
  expect(await claimOf(event.id)).toEqual({ lane: 0, claim_token: token });
  release();
});

test('an event that cannot be stored releases its slot', async () => {
  const account = await stage.account();
  const process = await startedRelay({ accountConcurrency: 1 });
  const receiver = receiverOf(process);
  const bad = receivedEvent(account, { eventType: 'a\0b' });
  expect(await receiver.receive(bad)).toEqual({ kind: 'failed', failure: 'bad_data' });
  const good = receivedEvent(account);
  await receiver.receive(good);
  await until('the next one is delivered', () => account.consumer.deliveries.length === 1);
});

test('an event that has waited is read again before its attempt, also when the clock of the process is ahead', async () => {
  const { release, reply } = heldBack();
  const account = await stage.account(reply, 200);
  const process = await startedRelay({ accountConcurrency: 1 });
  const receiver = receiverOf(process);
  await receiver.receive(receivedEvent(account));
  const waiting = receivedEvent(account, { receivedAt: new Date(Date.now() + 60_000) });
  await receiver.receive(waiting);
  await until('the first one arrives', () => account.consumer.deliveries.length === 1);
  expect(await ack(stage.gateway.database, waiting.id)).toMatchObject({ ok: true });
  await sleep(freshMs);
  release();
  await until('the second one is decided about', async () => (await claimOf(waiting.id))?.claim_token === null);
  expect(account.consumer.deliveries).toHaveLength(1);
});

test('an event that is stored while its process stops can be claimed by the others', async () => {
  const { release, reply } = heldBack();
  const account = await stage.account(reply);
  const process = await stage.alive({ accountConcurrency: 1 });
  await begin(process);
  const receiver = receiverOf(process);
  const [first, second] = [receivedEvent(account), receivedEvent(account)];
  await receiver.receive(first);
  await until('its attempt has the only slot', () => account.consumer.deliveries.length === 1);
  const blocker = await stage.gateway.database.pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('lock table event_payloads in exclusive mode');
    const storing = receiver.receive(second);
    await until('the second one is being stored', async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await stage.gateway.rows(waiting)).length === 1;
    });
    const stopping = process.firstAttempts.stop().then(() => process.heartbeat.stop());
    release();
    await until('the first one is recorded', async () => (await claimOf(first.id))?.lane === 2);
    await Promise.race([stopping, sleep(500)]);
    await blocker.query('rollback');
    expect(await storing).toEqual({ kind: 'stored' });
    await stopping;
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  const free = 'select lane, coalesce(claimed_until <= now(), true) as free from event_queue where event_id = $1';
  expect(await stage.gateway.rows(free, [second.id])).toEqual([{ lane: 0, free: true }]);
});
