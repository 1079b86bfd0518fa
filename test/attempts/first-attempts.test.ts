import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newEventId } from '../../src/events/event-id.ts';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { ack } from '../../src/events/transitions/acknowledged.ts';
import type { Delivery } from '../support/consumer.ts';
import { type Process, useQueueStage } from '../support/queue-stage.ts';
import { receivedEvent } from '../support/received.ts';
import { heldBack } from '../support/replies.ts';
import { until } from '../support/until.ts';

const stage = useQueueStage();

const idsOf = (deliveries: Delivery[]) => deliveries.map(({ headers }) => String(headers['webhook-id'])).sort();
function start({ firstAttempts }: Process): void {
  firstAttempts.start();
}

test('an account with many events and a slow consumer does not delay the first event of another account', async () => {
  const { release, reply } = heldBack();
  const crowd = await stage.account(reply);
  const single = await stage.account();
  const many = await stage.send(crowd, 30);
  const [one = ''] = await stage.send(single, 1);
  start(stage.process({ accountConcurrency: 4 }));
  await until('the single event is delivered', () => single.consumer.deliveries.length > 0);
  await until('the account has all its slots', () => crowd.consumer.deliveries.length === 4);
  const [late = ''] = await stage.send(single, 1);
  await until('a later one is delivered as well', () => single.consumer.deliveries.length > 1);
  expect(idsOf(single.consumer.deliveries)).toEqual([one, late]);
  // The oldest events got the slots, and there were never more attempts than slots.
  expect(idsOf(crowd.consumer.deliveries)).toEqual(many.slice(0, 4));
  release();
  await until('the others follow', () => crowd.consumer.deliveries.length === many.length);
  expect(idsOf(crowd.consumer.deliveries)).toEqual(many);
});

test('24 slow consumers of an account do not delay the first event of another account', async () => {
  const { release, reply } = heldBack();
  const crowd = await stage.account(reply);
  const single = await stage.account();
  const consumers = await stage.gateway.rows(
    `insert into consumers (id, account_id, name, url, created_at, updated_at)
     select gen_random_uuid(), $1, 'c' || n, $2, now(), now() from generate_series(1, 24) n returning id`,
    [crowd.id, crowd.consumer.url],
  );
  const receiver = new EventReceiver(stage.gateway.database);
  // More than a process takes at a time (1,024).
  const webhooks = Array.from({ length: 50 }, () => receivedEvent(crowd)).map((webhook) => ({
    ...webhook,
    siblings: consumers.map(({ id }) => ({ id: newEventId(webhook.receivedAt), consumerId: String(id) })),
  }));
  await Promise.all(webhooks.map((webhook) => receiver.receive(webhook)));
  const process = stage.process({ accountConcurrency: 64 });
  start(process);
  await until('the account has all its slots', () => crowd.consumer.deliveries.length === 128);
  // A look at the whole queue takes place each second.
  await setTimeout(1_500);
  await stage.send(single, 1);
  process.firstAttempts.wake();
  await until('the event of the other account is delivered', () => single.consumer.deliveries.length === 1);
  expect(crowd.consumer.deliveries.length).toBe(128);
  release();
});

test('two processes make the first attempt of each event once', async () => {
  const accounts = [await stage.account(), await stage.account()];
  const sent: string[] = [];
  for (const account of accounts) sent.push(...(await stage.send(account, 15)));
  const both = [stage.process(), stage.process()];
  for (const one of both) start(one);
  const delivered = () => accounts.flatMap(({ consumer }) => consumer.deliveries);
  await until('all are recorded', async () => {
    const [row] = await stage.gateway.rows(
      `select count(*)::integer as n from events where id = any($1) and delivery_status = 'delivered'`,
      [sent],
    );
    return row?.n === sent.length;
  });
  expect(idsOf(delivered())).toEqual(sent.toSorted());
});

test('an attempt that ends after its claim was taken over is recorded once', async () => {
  const { release, reply } = heldBack();
  const account = await stage.account(reply, 200);
  const [id = ''] = await stage.send(account, 1);
  const states = () =>
    stage.gateway.rows(
      `select e.delivery_status, e.attempts, (select count(*)::integer from delivery_attempts where event_id = e.id) as recorded
       from events e where id = $1`,
      [id],
    );
  const slow = stage.process();
  slow.firstAttempts.start();
  await until('the attempt is made', () => account.consumer.deliveries.length === 1);
  // A process that stops makes no claims, so that it does not claim its own event again.
  const stopped = slow.stop();
  // As those of a process that is suspended.
  await stage.gateway.rows('update event_queue set claimed_until = now()');
  start(stage.process());
  await until('another process makes it again', async () => (await states())[0]?.recorded === 1);
  release();
  await stopped;
  expect(await states()).toEqual([{ delivery_status: 'delivered', attempts: 1, recorded: 1 }]);
  expect(idsOf(account.consumer.deliveries)).toEqual([id, id]);
});

/** Runs `work` when the first large body is to be read, which then takes more than the second after which an event is read again. */
function whileBodyIsRead(work: () => Promise<unknown>): Promise<void> {
  const { database } = stage.gateway;
  const query = database.query.bind(database);
  const { promise, resolve } = Promise.withResolvers<void>();
  const spy = vi.spyOn(database, 'query').mockImplementation(async (statement, values) => {
    if (statement.name === 'read_attempt_bodies') {
      spy.mockRestore();
      await work();
      await setTimeout(1_100);
      resolve();
    }
    return query(statement, values);
  });
  onTestFinished(() => spy.mockRestore());
  return promise;
}

test.each<[string, (id: string) => Promise<unknown>, number]>([
  ['not made when the event is acked', (id) => ack(stage.gateway.database, id), 0],
  [
    'not made when its claim is taken over',
    (id) => stage.gateway.rows('update event_queue set claim_token = gen_random_uuid() where event_id = $1', [id]),
    0,
  ],
  ['made when nothing has changed', async () => undefined, 1],
])('an attempt is %s while its large body is read', async (_, change, count) => {
  const account = await stage.account();
  const body = JSON.stringify({ id: 'one', text: 'x'.repeat(100_000) });
  const { body: accepted } = await stage.gateway.send(account, body);
  const read = whileBodyIsRead(() => change(accepted.id));
  const process = stage.process();
  start(process);
  await read;
  await process.stop();
  expect(account.consumer.deliveries.map((made: Delivery) => made.body.length)).toEqual(Array(count).fill(body.length));
});
