import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { instantDelaysMs } from '../support/gateway.ts';
import { statesOf } from '../support/history.ts';
import { hold } from '../support/replies.ts';
import { deliveredEvent, exhaustedEvent, useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// What a person does in Temporal to workflows that have ended (docs/temporal-web-ui.md). Signals: odd-signals.test.ts.

const stage = useStage({ delaysMs: instantDelaysMs, eventWorkflows: 'always', accountConcurrency: 1 });

describe.each([
  ['delivered', deliveredEvent],
  ['exhausted', exhaustedEvent],
] as const)('of an event that is %s', (_, situation) => {
  test('cancel changes nothing, and terminate is refused', async () => {
    const { id, event } = await situation(stage);
    const before = await stage.workflows.status(id);
    await stage.workflows.cancel(id);
    await expect(stage.workflows.terminate(id)).rejects.toThrow(WorkflowNotFoundError);
    expect(await stage.workflows.status(id)).toEqual(before);
    expect(statesOf(await stage.gateway.admin.event(id))).toBe(statesOf(event));
  });

  test('reset: the run of the reset reads the row, and ends', async () => {
    const { id, event, consumer } = await situation(stage);
    const sent = consumer.deliveries.length;
    const reset = await stage.workflows.reset(id);
    await until('it has ended', async () => (await stage.workflows.status(id)).status !== 'RUNNING');
    expect((await stage.workflows.status(id)).runId).toBe(reset);
    const { delivery_status: deliveryStatus } = event;
    expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'already_settled', deliveryStatus });
    expect(statesOf(await stage.gateway.admin.event(id))).toBe(statesOf(event));
    expect(consumer.deliveries).toHaveLength(sent);
  });
});

test('terminate a retry that waits for a slot: it counts as not requested', async () => {
  const { gateway, workflows, operate } = stage;
  const { consumer, id: first, slug } = await stage.sent(500);
  const second: string = (await gateway.send({ provider: 'generic', account_slug: slug }, '{"id":"two"}')).body.id;
  for (const id of [first, second]) {
    await workflows.result(id);
    await gateway.admin.eventually(id, (e) => e.delivery_status === 'failed');
  }
  const { runId } = await workflows.status(second);
  const held = hold();
  consumer.replies = [held.reply];
  await operate.retry(first);
  await held.arrived;
  const sent = consumer.deliveries.length;
  await operate.retry(second);
  await until('another run has the retry', async () => (await workflows.status(second)).runId !== runId);
  await until(
    'its command is passed on',
    async () => (await gateway.rows('select 1 from event_commands')).length === 0,
  );
  const requested = async () => (await gateway.rows('select manual_attempts from events where id = $1', [second]))[0];
  expect(await requested()).toEqual({ manual_attempts: 1 });
  await workflows.terminate(second);
  await until('it is withdrawn', async () => (await requested())?.manual_attempts === 0);
  expect(consumer.deliveries).toHaveLength(sent);
  held.answer(200);
});

test('delete: the events stay, and a replay delivers them', async () => {
  const events = await Promise.all([deliveredEvent(stage), exhaustedEvent(stage)]);
  for (const { id } of events) await stage.workflows.remove(id);
  for (const { id, event } of events) {
    // The server deletes a closed workflow after half a minute.
    await until('the workflow is deleted', async () => !(await stage.workflows.latestRun(id)), 200_000);
    const kept = await stage.gateway.admin.event(id);
    expect({ states: statesOf(kept), workflow: kept.workflow }).toEqual({ states: statesOf(event), workflow: null });
    await stage.operate.replay(id);
    await stage.gateway.admin.eventually(id, (e) => e.generation === 1 && e.delivery_status === 'delivered');
  }
});
