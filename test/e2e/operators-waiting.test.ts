import { expect, test } from 'vitest';
import { instantDelaysMs, lastAttempt } from '../support/gateway.ts';
import { allFailed, attemptsOf, statesOf } from '../support/history.ts';
import { deadError, lostError } from '../support/operator.ts';
import { hold } from '../support/replies.ts';
import { useStage, waitingEvent } from '../support/situations.ts';
import { until } from '../support/until.ts';

// Operators' commands on an event that waits for its next attempt (docs/concepts.md).

const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: false });

test('the workflow shows that it waits, and the Web UI can find it', async () => {
  const { id, event } = await waitingEvent(stage);
  // The attempt is recorded before the workflow learns its outcome.
  const state = await until('the workflow waits', async () => {
    const now = await stage.workflows.state(id);
    return now.phase === 'waiting' && now.attempts === 1 && now;
  });
  expect(state).toMatchObject({ eventId: id, generation: 0, retries: 0 });
  expect(Math.abs(Date.parse(state.nextAttemptAt ?? '') - Date.parse(event.next_attempt_at))).toBeLessThan(60_000);
  expect(await stage.workflows.attributes(id)).toEqual({
    provider: 'generic',
    account: event.account_slug,
    appKey: 'tests',
    eventType: 'order',
    deliveryStatus: 'pending',
    attempt: 1,
  });
  const { status, runId } = await stage.workflows.status(id);
  expect(status).toBe('RUNNING');
  // The link is left out when Temporal answers too late.
  const { workflow } = await stage.gateway.admin.eventually(id, (e) => e.workflow !== null);
  expect(workflow).toMatchObject({ id: `event-${id}`, run_id: runId, url: expect.stringContaining(runId) });
});

test('ack ends the delivery: the event is processed and delivered', async () => {
  const { id, consumer } = await waitingEvent(stage);
  const { status, body } = await stage.operate.ack(id);
  expect(status).toBe(200);
  expect(body).toMatchObject({ id, status: 'processed', delivery_status: 'delivered', next_attempt_at: null });
  expect(body.delivered_at).not.toBeNull();
  expect(await stage.workflows.result(id)).toEqual({ outcome: 'acknowledged', generation: 0, attempts: 1 });
  expect(consumer.deliveries).toHaveLength(1);
});

test('fail does not stop the attempts, and the status stays failed', async () => {
  const { id, event } = await waitingEvent(stage, 30);
  const { status, body } = await stage.operate.fail(id);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'failed', delivery_status: 'pending', last_error: lostError });
  expect(body.next_attempt_at).toBe(event.next_attempt_at);
  expect(await stage.workflows.result(id)).toEqual({ outcome: 'delivered', generation: 0, attempts: 2 });
  expect(statesOf(await stage.gateway.admin.event(id))).toBe('failed/delivered');
});

test('fail without a body keeps the last error', async () => {
  const { id, event } = await waitingEvent(stage);
  const { status, body } = await stage.gateway.admin.post(`/admin/events/${id}/fail`);
  expect(status).toBe(200);
  expect(statesOf(body)).toBe('failed/pending');
  expect(body.last_error).toBe(event.last_error);
});

test('fail with dead ends the delivery', async () => {
  const { id, consumer } = await waitingEvent(stage);
  const { status, body } = await stage.operate.dead(id);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'dead', delivery_status: 'failed', last_error: deadError });
  expect(body.next_attempt_at).toBeNull();
  expect(await stage.workflows.result(id)).toEqual({ outcome: 'dead', generation: 0, attempts: 1 });
  expect(consumer.deliveries).toHaveLength(1);
});

test('replay starts a new generation at once, in the same workflow chain', async () => {
  const { id, consumer } = await waitingEvent(stage);
  const first = await stage.workflows.status(id);
  consumer.replies = [500];
  const { status, body } = await stage.operate.replay(id);
  expect(status).toBe(202);
  expect(body).toMatchObject({ status: 'received', delivery_status: 'pending', generation: 1, attempts: 0 });
  expect(body).toMatchObject({ last_error: null, response_code: null, next_attempt_at: null });
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'failed');
  expect(event).toMatchObject({ status: 'failed', generation: 1, attempts: lastAttempt });
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', ...allFailed(1)]);
  expect((await stage.workflows.status(id, first.runId)).status).toBe('CONTINUED_AS_NEW');
  expect(await stage.workflows.result(id)).toEqual({ outcome: 'exhausted', generation: 1, attempts: lastAttempt });
  expect((await stage.workflows.attributes(id)).deliveryStatus).toBe('failed');
});

test('a retry that succeeds delivers the event', async () => {
  const { id } = await waitingEvent(stage);
  const { status, body } = await stage.operate.retry(id);
  expect(status).toBe(202);
  expect(body).toMatchObject({ id, status: 'enqueued', delivery_status: 'pending' });
  expect((await stage.workflows.result(id)).outcome).toBe('delivered');
  const event = await stage.gateway.admin.event(id);
  expect(event).toMatchObject({ status: 'enqueued', delivery_status: 'delivered', attempts: 2 });
  expect(event).toMatchObject({ last_error: null, next_attempt_at: null });
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '0 manual 1 delivered']);
});

const twoRetries = ['0 manual 1 http_error', '0 manual 2 http_error'];

test('retries that fail do not change the time of the next attempt', async () => {
  const { id, consumer, event: before } = await waitingEvent(stage);
  consumer.replies = [500];
  await stage.operate.retry(id);
  await stage.operate.retry(id);
  const event = await stage.gateway.admin.eventually(id, (e) => e.attempts === 3);
  expect(event).toMatchObject({ delivery_status: 'pending', next_attempt_at: before.next_attempt_at });
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', ...twoRetries]);
});

test('retries that fail do not use up attempts of the schedule', async () => {
  const held = hold();
  const { id } = await stage.sent(held.reply, 500);
  await held.arrived;
  await stage.gateway.admin.eventually(id, (e) => e.status === 'enqueued');
  await stage.operate.retry(id);
  await stage.operate.retry(id);
  await until('the workflow has received both retries', async () => (await stage.workflows.state(id)).retries === 2);
  held.answer(500);
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'failed');
  expect(statesOf(event)).toBe('failed/failed');
  expect(event.attempts).toBe(lastAttempt + twoRetries.length);
  const [first, ...rest] = allFailed();
  expect(attemptsOf(event)).toEqual([first, ...twoRetries, ...rest]);
  expect(await stage.workflows.result(id)).toEqual({ outcome: 'exhausted', generation: 0, attempts: lastAttempt });
});
