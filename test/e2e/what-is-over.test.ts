import { expect, test } from 'vitest';
import { instantDelaysMs, lastAttempt } from '../support/gateway.ts';
import { statesOf } from '../support/history.ts';
import { exhaustedEvent, type Stage, useStage } from '../support/situations.ts';

// An event that was delivered or that a person has closed stays as it is: docs/concepts.md, "The word for a state".

const stage = useStage({ delaysMs: instantDelaysMs });

/** Replays what has failed of the event's account. */
async function replayFailed({ gateway }: Stage, id: string): Promise<{ replayed: number; left_out: number }> {
  const { account_slug } = await gateway.admin.event(id);
  return (await gateway.admin.post(`/admin/events/replay-failed?account_slug=${account_slug}`)).body;
}

/** An exhausted event that a manual attempt has delivered. */
async function retried(id: string) {
  await stage.operate.retry(id);
  return stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
}

/** Sends the webhook of `situations.ts` to the event's account again. */
async function resend(id: string) {
  const answer = await stage.gateway.send(await stage.gateway.admin.event(id), '{"id":"one","type":"order"}');
  expect(answer.body).toMatchObject({ id, duplicate: true });
}

test('an exhausted event that a retry delivers is over: neither replay-failed nor a resend delivers it again', async () => {
  const { id, consumer, event } = await exhaustedEvent(stage);
  expect(event).toMatchObject({ state: 'exhausted', schedule: null });
  const after = await retried(id);
  expect([statesOf(after), after.state]).toEqual(['enqueued/delivered', 'delivered']);
  expect(await replayFailed(stage, id)).toEqual({ replayed: 0, left_out: 0 });
  await resend(id);
  expect(await stage.gateway.admin.event(id)).toMatchObject({ generation: 0, state: 'delivered' });
  expect(consumer.deliveries).toHaveLength(lastAttempt + 1);
});

test('an exhausted event that a person has marked as failed stays failed after a retry that succeeds', async () => {
  const { id } = await exhaustedEvent(stage);
  const { body } = await stage.operate.fail(id);
  expect(body.state).toBe('failed_by_person');
  const after = await retried(id);
  expect([statesOf(after), after.state]).toEqual(['failed/delivered', 'failed_by_person']);
  expect(await replayFailed(stage, id)).toEqual({ replayed: 1, left_out: 0 });
  const again = await stage.gateway.admin.eventually(
    id,
    (e) => e.generation === 1 && e.delivery_status === 'delivered',
  );
  expect(again.state).toBe('delivered');
  expect(
    again.actions.map(({ action, generation }: { action: string; generation: number }) => [action, generation]),
  ).toEqual([
    ['fail', 0],
    ['retry', 0],
    ['replay', 1],
  ]);
});

test('an event that was marked as failed and replayed is exhausted like any other', async () => {
  const { id, consumer } = await exhaustedEvent(stage);
  await stage.operate.fail(id);
  consumer.replies = [500];
  await stage.operate.replay(id);
  const exhausted = await stage.gateway.admin.eventually(
    id,
    (e) => e.generation === 1 && e.delivery_status === 'failed',
  );
  expect(exhausted.state).toBe('exhausted');
  consumer.replies = [200];
  expect(statesOf(await retried(id))).toBe('enqueued/delivered');
});

test.each(['ack', 'dead'] as const)(
  'an exhausted event after %s: replay-failed and a resend leave it, and a replay by its id delivers it',
  async (close) => {
    const { id, consumer } = await exhaustedEvent(stage);
    const { body } = await stage.operate[close](id);
    expect(body.state).toBe({ ack: 'acknowledged', dead: 'dead' }[close]);
    expect(await replayFailed(stage, id)).toEqual({ replayed: 0, left_out: 1 });
    await resend(id);
    expect(await stage.gateway.admin.event(id)).toMatchObject({ generation: 0, state: body.state });
    expect(consumer.deliveries).toHaveLength(lastAttempt);
    await stage.operate.replay(id);
    const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
    expect(event).toMatchObject({ generation: 1, state: 'delivered' });
  },
);
