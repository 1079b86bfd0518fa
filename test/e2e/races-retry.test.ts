import { expect, test } from 'vitest';
import { instantDelaysMs, lastAttempt } from '../support/gateway.ts';
import { allFailed, attemptsOf, statesOf } from '../support/history.ts';
import { deadError } from '../support/operator.ts';
import { hold } from '../support/replies.ts';
import { exhaustedEvent, useStage, waitingEvent } from '../support/situations.ts';

// Operators' commands during a manual attempt (docs/concepts.md).

const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: false });

test('a retry during the last attempt is made after it, and delivers the event', async () => {
  const held = hold();
  const { id } = await stage.sent(...Array.from({ length: lastAttempt - 1 }, () => 500), held.reply, 200);
  await held.arrived;
  expect((await stage.operate.retry(id)).status).toBe(202);
  held.answer(500);
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(event).toMatchObject({ status: 'enqueued', attempts: lastAttempt + 1 });
  expect(attemptsOf(event)).toEqual([...allFailed(), '0 manual 1 delivered']);
});

test('a retry that a replay overtakes is still made, and does not replace attempts of the replay', async () => {
  const held = hold();
  const { id } = await stage.sent(held.reply, 200);
  await held.arrived;
  await stage.gateway.admin.eventually(id, (e) => e.status === 'enqueued');
  expect((await stage.operate.retry(id)).status).toBe(202);
  expect((await stage.operate.replay(id)).status).toBe(202);
  held.answer(500);
  const made = (e: { delivery_history: unknown[] }) => e.delivery_history.length === 3;
  const event = await stage.gateway.admin.eventually(id, (e) => statesOf(e) === 'enqueued/delivered' && made(e));
  expect(event).toMatchObject({ generation: 1, attempts: 1 });
  expect(attemptsOf(event).toSorted()).toEqual([
    '0 manual 1 delivered',
    '0 schedule 1 http_error',
    '1 schedule 1 delivered',
  ]);
  // Its workflow has the retry before the replay, or after it: then another run makes the retry, and finds the event delivered.
  const last = await stage.workflows.result(id);
  expect(last).toMatchObject({ generation: 1, attempts: 1 });
  if (last.outcome !== 'delivered')
    expect(last).toMatchObject({ outcome: 'already_settled', deliveryStatus: 'delivered' });
});

test.each([200, 500])('dead wins over a retry that is then answered with %i', async (answer) => {
  const { id, consumer } = await waitingEvent(stage);
  const held = hold();
  consumer.replies = [held.reply, 200];
  await stage.operate.retry(id);
  await held.arrived;
  expect((await stage.operate.dead(id)).status).toBe(200);
  held.answer(answer);
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'dead' });
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_history.length === 2);
  expect(statesOf(event)).toBe('dead/failed');
  expect(event).toMatchObject({ attempts: 2, last_error: deadError, delivered_at: null });
});

test.each([200, 500])('ack wins over a retry that is then answered with %i', async (answer) => {
  const { id, consumer } = await waitingEvent(stage);
  const held = hold();
  consumer.replies = [held.reply, 200];
  await stage.operate.retry(id);
  await held.arrived;
  const acked = (await stage.operate.ack(id)).body;
  held.answer(answer);
  await stage.workflows.result(id);
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_history.length === 2);
  expect(statesOf(event)).toBe('processed/delivered');
  expect(event.delivered_at).toBe(acked.delivered_at);
});

test('concurrent retries of an exhausted event are each made once', async () => {
  const { id, consumer } = await exhaustedEvent(stage);
  consumer.replies = [500];
  const answers = await Promise.all(Array.from({ length: 5 }, () => stage.operate.retry(id)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  const event = await stage.gateway.admin.eventually(id, (e) => e.attempts === lastAttempt + 5);
  const manual = [1, 2, 3, 4, 5].map((number) => `0 manual ${number} http_error`);
  expect(attemptsOf(event).toSorted()).toEqual([...allFailed(), ...manual].toSorted());
  expect(consumer.deliveries).toHaveLength(lastAttempt + 5);
});

test('concurrent replays have a generation each, and the last one is delivered', async () => {
  const { id } = await exhaustedEvent(stage);
  const answers = await Promise.all([1, 2, 3].map(() => stage.operate.replay(id)));
  expect(answers.map(({ body }) => body.generation).toSorted()).toEqual([1, 2, 3]);
  const event = await stage.gateway.admin.eventually(id, (e) => statesOf(e) === 'enqueued/delivered');
  expect(event).toMatchObject({ generation: 3, attempts: 1 });
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'delivered', generation: 3 });
});
