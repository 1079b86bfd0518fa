import { expect, test } from 'vitest';
import { quickDelaysMs } from '../support/gateway.ts';
import { attemptsOf } from '../support/history.ts';
import { askToWait, hold } from '../support/replies.ts';
import { secretWhsec } from '../support/secrets.ts';
import { accountWith, notified, sendEvent, summarised } from '../support/services/notified-events.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// A person deletes workflows in Temporal (docs/temporal-web-ui.md): Temporal no longer has them, so only what is overdue is
// found. Overdue is what is 3 s late and not 120 s: long enough that nothing is overdue before its workflow is deleted.

const stage = useStage({
  ...{ delaysMs: quickDelaysMs, apiDelivers: false, eventWorkflows: 'always', overdueS: 3 },
  notifications: { waitsMs: [20, 20] },
});

/**
 * Deletes the event's workflow, and returns its run. The sweep may have found the event before, which counts as overdue 3 s
 * after the start of its first attempt: it looks again only five minutes later.
 */
async function removed(id: string): Promise<string> {
  const { runId } = await stage.workflows.status(id);
  await stage.workflows.remove(id);
  await until('it is deleted', async () => (await stage.workflows.latestRun(id))?.runId !== runId);
  await stage.gateway.rows('update events set swept_at = null where id = $1', [id]);
  return runId;
}

test('while it waits: when the next attempt is overdue, another run delivers the event', async () => {
  // So long that the next attempt is not due before the workflow is deleted.
  const { id } = await stage.sent(askToWait(503, 1_000), 200);
  await stage.gateway.admin.eventually(id, (e) => e.attempts === 1 && e.status === 'enqueued');
  const runId = await removed(id);
  await stage.gateway.rows(`update events set next_attempt_at = now() - interval '1 hour' where id = $1`, [id]);
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '0 schedule 2 delivered']);
  expect((await stage.workflows.status(id)).runId).not.toBe(runId);
});

test('during an attempt: it is recorded, and another run makes the next one', async () => {
  const held = hold();
  const { id } = await stage.sent(held.reply, 200);
  await held.arrived;
  const runId = await removed(id);
  held.answer(500);
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '0 schedule 2 delivered']);
  expect((await stage.workflows.status(id)).runId).not.toBe(runId);
});

test('during an attempt that succeeds: the event is delivered once', async () => {
  const held = hold();
  const { id, consumer } = await stage.sent(held.reply, 500);
  await held.arrived;
  await removed(id);
  held.answer(200);
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered']);
  expect(consumer.deliveries).toHaveLength(1);
});

test('while it notifies: what was not sent yet is sent when it is overdue', async () => {
  const held = hold();
  const destination = await stage.consumer(held.reply, 200);
  const config = { url: destination.url, secret: secretWhsec('hanging') };
  const id = await sendEvent(
    stage,
    await accountWith(stage, [{ destination_type: 'webhook', name: 'Hanging', config }]),
  );
  await held.arrived;
  await removed(id);
  held.answer(500);
  expect(summarised(await notified(stage, id, 1))).toEqual(['0 webhook sent 2']);
  expect(destination.deliveries).toHaveLength(2);
});
