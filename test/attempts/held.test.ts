import { expect, test } from 'vitest';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { withClient } from '../support/one-connection.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { receivedEvent } from '../support/received.ts';
import { until } from '../support/until.ts';

// Events of an account or consumer that is disabled or paused wait in the queue. A process that knows this stores them there,
// and begins no attempt of which it could only say that it is not made.

const stage = useQueueStage();

/** A process that delivers, and an account whose deliveries are paused. */
async function pausedAccount() {
  const { rows } = stage.gateway;
  const account = await stage.account();
  await rows('update accounts set paused_since = now() where id = $1', [account.id]);
  const { firstAttempts } = stage.process();
  firstAttempts.start();
  const receiver = new EventReceiver(stage.gateway.database, () => firstAttempts.handOver);
  const receive = async (count: number) => {
    const events = Array.from({ length: count }, () => receivedEvent(account));
    for (const event of events) expect(await receiver.receive(event)).toEqual({ kind: 'stored' });
    return events.map(({ id }) => id);
  };
  /** The events whose attempt was begun, which found that it may not be made: they were claimed. */
  const begun = () =>
    rows('select event_id as id from event_queue where account_id = $1 and claimed_until is not null', [account.id]);
  const resume = () => rows('update accounts set paused_since = null where id = $1', [account.id]);
  const probe = await stage.account();
  await stage.send(probe, 1);
  firstAttempts.wake();
  await until('it has looked at the queue', () => probe.consumer.deliveries.length === 1);
  return { consumer: account.consumer, receive, begun, resume, wake: () => firstAttempts.wake(account.id) };
}
const unclaimed = (ids: string[]) => async () => {
  const found = await stage.gateway.rows(
    'select event_id from event_queue where event_id = any($1) and claim_token is null',
    [ids],
  );
  return found.length === ids.length;
};

test('the attempt of only the first event of a paused account is begun', async () => {
  const { receive, begun, consumer } = await pausedAccount();
  const first = await receive(1);
  await until('the first is back in the queue', unclaimed(first));
  const others = await receive(20);
  expect(await unclaimed(others)()).toBe(true);
  expect(await begun()).toEqual(first.map((id) => ({ id })));
  expect(consumer.deliveries).toEqual([]);
});

test('after the pause, all are delivered, and new ones as well', async () => {
  const { receive, consumer, resume, wake } = await pausedAccount();
  const first = await receive(1);
  await until('the first is back in the queue', unclaimed(first));
  await receive(20);
  await resume();
  wake();
  await until('they are delivered', () => consumer.deliveries.length === 21);
  await receive(1);
  await until('the new one is delivered', () => consumer.deliveries.length === 22);
});

test('a process that has missed the notification finds out when it next looks at the queue', async () => {
  const { receive, consumer, resume } = await pausedAccount();
  const first = await receive(1);
  await until('the first is back in the queue', unclaimed(first));
  await receive(2);
  await resume();
  await until('they are delivered', () => consumer.deliveries.length === 3);
});

test('processes are notified of events that wait only if something may be sent', async () => {
  const { database, databaseUrl, rows } = stage.gateway;
  const [paused, other] = [await stage.account(), await stage.account()];
  await rows('update accounts set paused_since = now() where id = $1', [paused.id]);
  await withClient(databaseUrl, async (client) => {
    const told: (string | undefined)[] = [];
    client.on('notification', ({ payload }) => told.push(payload));
    await client.query('listen gateway_queue');
    // Without a relay, all events wait in the queue.
    const receiver = new EventReceiver(database);
    for (const account of [paused, other, paused, other]) await receiver.receive(receivedEvent(account));
    await until('the processes are notified', async () => {
      await client.query('select');
      return told.length >= 2;
    });
    expect(told).toEqual([other.id, other.id]);
  });
});
