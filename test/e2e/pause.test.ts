import { afterEach, expect, test } from 'vitest';
import { lastAttempt } from '../support/gateway.ts';
import { allFailed, attemptsOf, statesOf } from '../support/history.ts';
import { pauseDeliveries, resumeDeliveries, waitsForResumption } from '../support/paused.ts';
import { askToWait, hold } from '../support/replies.ts';
import { deliveredEvent, useStage, waitingEvent } from '../support/situations.ts';

// A pause that starts during the delivery of an event.

const stage = useStage({});
afterEach(async () => {
  await resumeDeliveries(stage.gateway.admin);
});

const pause = () => pauseDeliveries(stage.gateway.admin);
const resume = () => resumeDeliveries(stage.gateway.admin);
const eventually = (id: string, wanted: Parameters<typeof stage.gateway.admin.eventually>[1]) =>
  stage.gateway.admin.eventually(id, wanted);

/** An event whose first attempt has failed during a pause, and whose second one is due. */
async function dueEvent() {
  const held = hold();
  const { consumer, id, accountId } = await stage.sent(held.reply, 200);
  await held.arrived;
  await pause();
  held.answer(500);
  await eventually(id, (e) => e.attempts === 1 && e.status === 'enqueued');
  await waitsForResumption(stage, id);
  return { id, accountId, consumer };
}

test('the attempt in flight counts, and the next attempt is made after the resumption', async () => {
  const { id, consumer } = await dueEvent();
  const event = await stage.gateway.admin.event(id);
  expect([statesOf(event), attemptsOf(event)]).toEqual(['enqueued/pending', ['0 schedule 1 http_error']]);
  const resumedMs = await resume();
  expect(attemptsOf(await eventually(id, (e) => e.delivery_status === 'delivered'))).toEqual([
    '0 schedule 1 http_error',
    '0 schedule 2 delivered',
  ]);
  expect(await stage.workflows.result(id)).toEqual({ outcome: 'delivered', generation: 0, attempts: 2 });
  expect(consumer.deliveries).toHaveLength(2);
  expect(consumer.deliveries[1]?.atMs).toBeGreaterThanOrEqual(resumedMs);
});

test('an event that is exhausted after the pause has had all its attempts', async () => {
  const { id, consumer } = await dueEvent();
  consumer.replies = [500];
  await resume();
  const event = await eventually(id, (e) => e.delivery_status === 'failed');
  expect(attemptsOf(event)).toEqual(allFailed());
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'exhausted', attempts: lastAttempt });
});

test('an event that is not due keeps its next attempt time', async () => {
  const { id, event } = await waitingEvent(stage);
  await pause();
  await resume();
  const after = await stage.gateway.admin.event(id);
  expect(after).toMatchObject({ next_attempt_at: event.next_attempt_at, attempts: 1 });
  await stage.operate.dead(id);
});

test('an ack ends the workflow of an event that is due', async () => {
  const { id } = await dueEvent();
  expect((await stage.operate.ack(id)).body).toMatchObject({ status: 'processed', delivery_status: 'delivered' });
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'acknowledged', attempts: 1 });
});

test('the workflow of an event that is marked dead ends, and nothing is sent afterwards', async () => {
  const { id, consumer } = await dueEvent();
  expect((await stage.operate.dead(id)).body).toMatchObject({ status: 'dead', delivery_status: 'failed' });
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'dead', attempts: 1 });
  await resume();
  expect(consumer.deliveries).toHaveLength(1);
});

test('an event whose account is deleted during the pause fails', async () => {
  const { id, accountId } = await dueEvent();
  await stage.operate.deleteAccount(accountId);
  expect(await eventually(id, (e) => e.delivery_status === 'failed')).toMatchObject({ last_error: 'account_deleted' });
});

test.each(['due', 'delivered'] as const)('a replay of a %s event waits for the resumption', async (what) => {
  const { id, consumer } = what === 'due' ? await dueEvent() : await deliveredEvent(stage);
  await pause();
  const before = consumer.deliveries.length;
  expect((await stage.operate.replay(id)).status).toBe(202);
  expect(await stage.gateway.admin.event(id)).toMatchObject({ generation: 1, delivery_status: 'pending', attempts: 0 });
  expect(consumer.deliveries).toHaveLength(before);
  const resumedMs = await resume();
  const event = await eventually(id, (e) => e.delivery_status === 'delivered');
  expect(attemptsOf(event).slice(before)).toEqual(['1 schedule 1 delivered']);
  expect(consumer.deliveries).toHaveLength(before + 1);
  expect(consumer.deliveries.at(-1)?.atMs).toBeGreaterThanOrEqual(resumedMs);
  expect(consumer.deliveries.at(-1)?.headers['x-webhook-replay']).toBe('true');
});

test('an event of a long disabled account is not given up during the pause, but after it', async () => {
  const { id, accountId, consumer } = await dueEvent();
  await stage.operate.setEnabled(accountId, false);
  await stage.gateway.rows(`update events set held_since = now() - interval '8 days' where id = $1`, [id]);
  await waitsForResumption(stage, id);
  expect(await stage.gateway.admin.event(id)).toMatchObject({ delivery_status: 'pending', attempts: 1 });
  await resume();
  const event = await eventually(id, (e) => e.delivery_status === 'failed');
  expect(event).toMatchObject({ last_error: 'account_disabled', attempts: 1 });
  expect(consumer.deliveries).toHaveLength(1);
});

test('events of an account that is enabled during the pause are delivered, even after a long time', async () => {
  const { id, accountId } = await dueEvent();
  await stage.operate.setEnabled(accountId, false);
  await stage.gateway.rows(`update events set held_since = now() - interval '8 days' where id = $1`, [id]);
  await waitsForResumption(stage, id);
  await stage.operate.setEnabled(accountId, true);
  await resume();
  await eventually(id, (e) => e.delivery_status === 'delivered');
});

test('Retry-After applies after a long pause, which does not count towards the four hours', async () => {
  const { id, consumer } = await dueEvent();
  await stage.gateway.rows(`update events set generation_at = now() - interval '5 hours' where id = $1`, [id]);
  consumer.replies = [askToWait(503, 1_000)];
  await resume();
  const event = await eventually(id, (e) => e.attempts === 2);
  expect(Date.parse(event.next_attempt_at) - Date.now()).toBeGreaterThan(900_000);
  await stage.operate.dead(id);
});
