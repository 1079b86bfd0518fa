import { afterEach, describe, expect, test } from 'vitest';
import { exhaustDisabledEvents } from '../../src/events/transitions/exhausted.ts';
import type { Reply } from '../support/consumer.ts';
import { lastAttempt } from '../support/gateway.ts';
import { allFailed, attemptsOf } from '../support/history.ts';
import { pauseDeliveries, resumeDeliveries, waitsForResumption } from '../support/paused.ts';
import { askToWait, hold } from '../support/replies.ts';
import { deliveredEvent, useStage, waitingEvent } from '../support/situations.ts';
import { until } from '../support/until.ts';

// A pause that starts during the delivery of an event.

const stage = useStage({});
afterEach(async () => {
  await resumeDeliveries(stage.gateway.admin);
});

const pause = () => pauseDeliveries(stage.gateway.admin);
const resume = () => resumeDeliveries(stage.gateway.admin);
const eventually = (id: string, wanted: Parameters<typeof stage.gateway.admin.eventually>[1]) =>
  stage.gateway.admin.eventually(id, wanted);

/** Waits until nothing is left to do for an event. */
const leavesTheQueue = (id: string) =>
  until(
    'the event leaves the queue',
    async () => (await stage.gateway.rows('select 1 from event_queue where event_id = $1', [id])).length === 0,
  );

/** An event whose first attempt, or whose second one by its workflow, fails during a pause. The next one is due. */
async function dueEvent(attempts = 2) {
  const held = hold();
  const { consumer, id, accountId } = await stage.sent(...Array(attempts - 1).fill(500), held.reply, 200);
  await held.arrived;
  await pause();
  held.answer(500);
  await eventually(id, (e) => e.attempts === attempts);
  await waitsForResumption(stage, id);
  return { id, accountId, consumer };
}
const failedAttempts = (count: number) => allFailed().slice(0, count);

describe.each([1, 2])('an event whose attempt %i fails during a pause', (attempts) => {
  test('has its next attempt after the resumption', async () => {
    const { id, consumer } = await dueEvent(attempts);
    const event = await stage.gateway.admin.event(id);
    expect(event).toMatchObject({ delivery_status: 'pending', ...(attempts === 1 ? {} : { next_attempt_at: null }) });
    expect(attemptsOf(event)).toEqual(failedAttempts(attempts));
    const resumedMs = await resume();
    expect(attemptsOf(await eventually(id, (e) => e.delivery_status === 'delivered'))).toEqual([
      ...failedAttempts(attempts),
      `0 schedule ${attempts + 1} delivered`,
    ]);
    const result = await stage.workflowResult(id);
    const delivered = { outcome: 'delivered', generation: 0, attempts: attempts + 1 };
    if (attempts > 1) expect(result).toEqual(delivered);
    // If the sweep has found the event before the resumption, an api makes the second attempt, and with
    // EVENT_WORKFLOWS=on_retry there is no workflow.
    else if (result !== null)
      expect(result).toMatchObject({ ...delivered, outcome: expect.stringMatching(/^(delivered|already_settled)$/) });
    expect(consumer.deliveries).toHaveLength(attempts + 1);
    expect(consumer.deliveries.at(-1)?.atMs).toBeGreaterThanOrEqual(resumedMs);
  });

  test('has all its attempts before it is exhausted', async () => {
    const { id, consumer } = await dueEvent(attempts);
    consumer.replies = [500];
    await resume();
    const event = await eventually(id, (e) => e.delivery_status === 'failed');
    expect(attemptsOf(event)).toEqual(allFailed());
    expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'exhausted', attempts: lastAttempt });
  });

  test('is not sent after an ack', async () => {
    const { id, consumer } = await dueEvent(attempts);
    expect((await stage.operate.ack(id)).body).toMatchObject({ status: 'processed', delivery_status: 'delivered' });
    await resume();
    await leavesTheQueue(id);
    expect(consumer.deliveries).toHaveLength(attempts);
  });

  test('is not sent after it was declared dead', async () => {
    const { id, consumer } = await dueEvent(attempts);
    expect((await stage.operate.dead(id)).body).toMatchObject({ status: 'dead', delivery_status: 'failed' });
    await resume();
    await leavesTheQueue(id);
    expect(consumer.deliveries).toHaveLength(attempts);
  });

  test('fails with the deletion of its account', async () => {
    const { id, accountId } = await dueEvent(attempts);
    await stage.operate.deleteAccount(accountId);
    expect(await eventually(id, (e) => e.delivery_status === 'failed')).toMatchObject({
      last_error: 'account_deleted',
    });
    await resume();
    await leavesTheQueue(id);
  });
});

test('the workflow of an event that becomes due ends, and nothing of it is left in Temporal until the resumption', async () => {
  const { id } = await dueEvent();
  expect(await stage.workflows.result(id)).toEqual({ outcome: 'superseded', generation: 0, attempts: 2 });
  const [event] = await stage.gateway.rows('select next_attempt_at, held_since from events where id = $1', [id]);
  expect(event).toEqual({ next_attempt_at: null, held_since: null });
  await stage.operate.dead(id);
});

describe('an event that an api attempts after the pause, because attempts follow', () => {
  const longer = useStage({ delaysMs: Array(4).fill(50), overdueS: 1 });

  /** An event whose second attempt, by its workflow, fails during a pause. */
  async function waitingEvent(...replies: (number | Reply)[]) {
    const held = hold();
    const { consumer, id } = await longer.sent(500, held.reply, ...replies);
    await held.arrived;
    await pauseDeliveries(longer.gateway.admin);
    held.answer(500);
    await waitsForResumption(longer, id);
    return { id, consumer };
  }
  afterEach(() => resumeDeliveries(longer.gateway.admin));

  test('is delivered, and its last run says so', async () => {
    const { id } = await waitingEvent(200);
    await resumeDeliveries(longer.gateway.admin);
    const event = await longer.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
    expect(attemptsOf(event)).toEqual([...failedAttempts(2), '0 schedule 3 delivered']);
    // With EVENT_WORKFLOWS=on_retry, an attempt of the api that succeeds starts none.
    if (longer.gateway.eventWorkflows === 'on_retry') return;
    await until('its last run has ended', async () => (await longer.workflows.result(id)).outcome !== 'superseded');
    const { outcome, ...result } = await longer.workflows.result(id);
    expect(result).toMatchObject({ generation: 0, attempts: 3 });
    // While the heartbeats of the api are late, a workflow makes the attempt.
    expect(['already_settled', 'delivered']).toContain(outcome);
  });

  test('goes on with its workflow when that attempt fails', async () => {
    const { id, consumer } = await waitingEvent(500, 200);
    await resumeDeliveries(longer.gateway.admin);
    const event = await longer.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
    expect(attemptsOf(event)).toEqual([
      ...['0 schedule 1 http_error', '0 schedule 2 http_error', '0 schedule 3 http_error'],
      '0 schedule 4 delivered',
    ]);
    expect(await longer.workflows.result(id)).toEqual({ outcome: 'delivered', generation: 0, attempts: 4 });
    expect(consumer.deliveries).toHaveLength(4);
  });

  test('also when it was in the queue before its attempt was due', async () => {
    const held = hold();
    const { consumer, id } = await longer.sent(held.reply, 200);
    await held.arrived;
    await pauseDeliveries(longer.gateway.admin);
    held.answer(500);
    const direct = 'select 1 from event_queue where event_id = $1 and direct';
    await until('an api makes its next attempt', async () => (await longer.gateway.rows(direct, [id])).length === 1);
    await resumeDeliveries(longer.gateway.admin);
    const event = await longer.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
    expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '0 schedule 2 delivered']);
    expect(consumer.deliveries).toHaveLength(2);
  });
});

test('an event that is not due keeps its next attempt time', async () => {
  const { id, event } = await waitingEvent(stage);
  await pause();
  await resume();
  const after = await stage.gateway.admin.event(id);
  expect(after).toMatchObject({ next_attempt_at: event.next_attempt_at, attempts: 1 });
  await stage.operate.dead(id);
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

/** As if the account had been disabled, and the event due, eight days ago. */
async function longDisabled({ id, accountId }: { id: string; accountId: string }): Promise<void> {
  await stage.operate.setEnabled(accountId, false);
  await stage.gateway.rows(`update event_queue set lane_since = now() - interval '8 days' where event_id = $1`, [id]);
  await stage.gateway.rows(`update accounts set updated_at = now() - interval '8 days' where id = $1`, [accountId]);
}
const sweep = () => exhaustDisabledEvents(stage.gateway.database, 10, async () => undefined);

test('an event of a long disabled account is not exhausted during the pause, but seven days after it', async () => {
  const { id, accountId, consumer } = await dueEvent();
  await longDisabled({ id, accountId });
  expect(await sweep()).toEqual({ exhausted: 0, more: false });
  await resume();
  expect(await sweep()).toEqual({ exhausted: 0, more: false });
  expect(await stage.gateway.admin.event(id)).toMatchObject({ delivery_status: 'pending', attempts: 2 });
  await stage.gateway.rows(`update pauses set ended_at = now() - interval '7 days' where ended_at is not null`);
  // The worker may do so before.
  const event = await until('it is exhausted', async () => {
    await sweep();
    const now = await stage.gateway.admin.event(id);
    return now.delivery_status === 'failed' && now;
  });
  expect(event).toMatchObject({ last_error: 'account_disabled', attempts: 2 });
  expect(consumer.deliveries).toHaveLength(2);
});

test('events of an account that is enabled during the pause are delivered, even after a long time', async () => {
  const { id, accountId } = await dueEvent();
  await longDisabled({ id, accountId });
  await stage.operate.setEnabled(accountId, true);
  await resume();
  await eventually(id, (e) => e.delivery_status === 'delivered');
});

test('Retry-After applies after a long pause, which does not count towards the four hours', async () => {
  const { id, consumer } = await dueEvent(1);
  await stage.gateway.rows(`update events set generation_at = now() - interval '5 hours' where id = $1`, [id]);
  consumer.replies = [askToWait(503, 1_000)];
  await resume();
  const event = await eventually(id, (e) => e.attempts === 2);
  expect(Date.parse(event.next_attempt_at) - Date.now()).toBeGreaterThan(900_000);
  await stage.operate.dead(id);
});

test.each(['account', 'consumer'])('Retry-After applies after a long pause of the %s, too', async (paused) => {
  const { admin, rows } = stage.gateway;
  const held = hold();
  const { id, accountId } = await stage.sent(held.reply, askToWait(503, 1_000));
  const owner = `/admin/accounts/${accountId}${paused === 'account' ? '' : '/consumers/default'}`;
  await held.arrived;
  expect((await admin.post(`${owner}/pause`)).status).toBe(200);
  held.answer(500);
  await eventually(id, (e) => e.attempts === 1);
  await waitsForResumption(stage, id);
  await rows(`update events set generation_at = now() - interval '5 hours' where id = $1`, [id]);
  expect((await admin.post(`${owner}/resume`)).status).toBe(200);
  const event = await eventually(id, (e) => e.attempts === 2);
  expect(Date.parse(event.next_attempt_at) - Date.now()).toBeGreaterThan(900_000);
  await stage.operate.dead(id);
});
