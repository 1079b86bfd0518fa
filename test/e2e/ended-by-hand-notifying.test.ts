import { expect, test } from 'vitest';
import { instantDelaysMs } from '../support/gateway.ts';
import { attemptsOf, statesOf } from '../support/history.ts';
import { hold } from '../support/replies.ts';
import { secretWhsec } from '../support/secrets.ts';
import { accountWith, notified, sendEvent, summarised } from '../support/services/notified-events.ts';
import { anotherRun, useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';

// What a person does to the workflow of an exhausted event in Temporal while destinations are notified
// (docs/temporal-web-ui.md). The sweep, which looks for notifications that are overdue for minutes, finds none here.

const stage = useStage({ delaysMs: instantDelaysMs, eventWorkflows: 'always', notifications: { waitsMs: [20, 20] } });

/** An exhausted event whose destination has not answered yet. It accepts further notifications. */
async function notifying() {
  const held = hold();
  const destination = await stage.consumer(held.reply, 200);
  const config = { url: destination.url, secret: secretWhsec('hanging') };
  const situation = await accountWith(stage, [{ destination_type: 'webhook', name: 'Hanging', config }]);
  const id = await sendEvent(stage, situation);
  await held.arrived;
  await until('it notifies', async () => (await stage.workflows.state(id)).phase === 'notifying');
  const { runId } = await stage.workflows.status(id);
  return { id, runId, held, destination, consumer: situation.consumer };
}

test.each(['cancel', 'terminate', 'reset'] as const)(
  '%s: the event stays exhausted, and another run sends what was not sent yet',
  async (action) => {
    const { id, runId, held, destination } = await notifying();
    await stage.workflows[action](id);
    held.answer(500);
    const event = await notified(stage, id, 1);
    expect(statesOf(event)).toBe('failed/failed');
    expect(attemptsOf(event)).toHaveLength(3);
    expect(summarised(event)).toEqual(['0 webhook sent 2']);
    expect(destination.deliveries).toHaveLength(2);
    // The run of a reset sends them itself, unless it was ended before.
    await until('another run has ended', async () => {
      const latest = await stage.workflows.status(id);
      return latest.runId !== runId && latest.status !== 'RUNNING';
    });
  },
);

test('what arrives although the workflow was cancelled is not sent again', async () => {
  const { id, runId, held, destination } = await notifying();
  await stage.workflows.cancel(id);
  await anotherRun(stage, id, runId, 'RUNNING');
  held.answer(200);
  expect(summarised(await notified(stage, id, 1))).toEqual(['0 webhook sent 1']);
  await anotherRun(stage, id, runId, 'COMPLETED');
  expect(destination.deliveries).toHaveLength(1);
});

const schedule = { delaysMs: instantDelaysMs, timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
const resume = { attempts: 0, nextAttemptAt: null, settled: false };

test.each([
  ['ack', { generation: 0 }, { outcome: 'exhausted', generation: 0 }],
  ['fail', { generation: 0, dead: true }, { outcome: 'dead', generation: 0 }],
  // The event was not replayed, so its row does not know this generation.
  ['replay', { generation: 1, schedule, resume }, { outcome: 'superseded', generation: 1 }],
])('a signal %s: the notifications are sent, and the event stays exhausted', async (name, content, outcome) => {
  const { id, held, destination } = await notifying();
  await stage.workflows.signal(id, name, [content]);
  held.answer(500);
  const event = await notified(stage, id, 1);
  expect(statesOf(event)).toBe('failed/failed');
  expect(attemptsOf(event)).toHaveLength(3);
  expect(destination.deliveries).toHaveLength(2);
  expect(await stage.workflows.result(id)).toMatchObject(outcome);
  const { runId } = await stage.workflows.status(id);
  // Another run of this event would follow before that of one whose workflow was ended later.
  const other = await notifying();
  await stage.workflows.terminate(other.id);
  await anotherRun(stage, other.id, other.runId, 'RUNNING');
  expect((await stage.workflows.status(id)).runId).toBe(runId);
  other.held.answer(200);
});

test('a signal retry: one more attempt is made, and the notifications are sent', async () => {
  const { id, held, destination, consumer } = await notifying();
  consumer.replies = [200];
  await stage.workflows.signal(id, 'retry', [{ generation: 0, number: 1 }]);
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(attemptsOf(event).at(-1)).toBe('0 manual 1 delivered');
  held.answer(500);
  await until('the notification is sent', () => destination.deliveries.length === 2);
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'delivered', generation: 0 });
});
