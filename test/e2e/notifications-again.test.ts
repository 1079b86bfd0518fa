import { expect, test } from 'vitest';
import { lastAttempt } from '../support/gateway.ts';
import { hold } from '../support/replies.ts';
import { accountWith, allSentAgain, notified, sendEvent, summarised } from '../support/services/notified-events.ts';
import { slackRateLimited } from '../support/services/slack.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { until } from '../support/until.ts';

// Replays and retries after and during notifications (docs/concepts.md, docs/notifications.md).

const { stage, receivers } = useReceivers({ notifications: { waitsMs: [20, 20, 20, 20] } });

test('a manual attempt that fails sends no further notifications', async () => {
  const id = await sendEvent(stage, await accountWith(stage, receivers.destinations));
  await notified(stage, id, 4);
  expect((await stage.operate.retry(id)).status).toBe(202);
  await stage.gateway.admin.eventually(id, (e) => e.attempts === lastAttempt + 1);
  await stage.workflows.result(id);
  expect((await stage.gateway.admin.event(id)).notifications).toHaveLength(4);
  expect(receivers.counts()).toEqual({ webhook: 1, email: 1, chat_one: 1, chat_two: 1 });
});

test('a replay that is exhausted notifies again; a replay that is delivered does not', async () => {
  const situation = await accountWith(stage, receivers.destinations);
  const id = await sendEvent(stage, situation);
  await notified(stage, id, 4);
  expect((await stage.operate.replay(id)).status).toBe(202);
  expect(summarised(await notified(stage, id, 8))).toEqual(allSentAgain);
  expect(receivers.counts()).toEqual({ webhook: 2, email: 2, chat_one: 2, chat_two: 2 });
  expect(receivers.hook.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([
    `${id}.0.${situation.ids[0]}`,
    `${id}.1.${situation.ids[0]}`,
  ]);
  situation.consumer.replies = [200];
  await stage.operate.replay(id);
  await stage.gateway.admin.eventually(id, (e) => e.generation === 2 && e.delivery_status === 'delivered');
  // The api has made the attempt of this replay. With `on_retry`, it needs no workflow.
  const lastRuns = {
    always: { outcome: 'already_settled', generation: 2 },
    on_retry: { outcome: 'exhausted', generation: 1 },
  };
  const last = lastRuns[stage.gateway.eventWorkflows];
  const ended = await until('the last run has ended', async () => {
    const result = await stage.workflowResult(id);
    return result?.generation === last.generation && result;
  });
  expect(ended).toMatchObject(last);
  expect((await stage.gateway.admin.event(id)).notifications).toHaveLength(8);
  expect(receivers.complaints()).toEqual([]);
});

test.each([
  ['replay', 1],
  ['retry', 0],
])('a %s starts at once while a notification waits for an answer', async (said, generation) => {
  const held = hold();
  receivers.hook.replies = [held.reply, 200];
  const situation = await accountWith(stage, [receivers.destinations[0]]);
  const id = await sendEvent(stage, situation);
  await held.arrived;
  situation.consumer.replies = [200];
  expect((await (said === 'replay' ? stage.operate.replay(id) : stage.operate.retry(id))).status).toBe(202);
  await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.generation === generation);
  // The destination has not answered until now.
  expect(receivers.hook.deliveries).toHaveLength(1);
  held.answer(500);
  const event = await stage.gateway.admin.eventually(id, (e) => e.notifications[0]?.status === 'sent');
  expect(summarised(event)).toEqual(['0 webhook sent 2']);
  await stage.workflows.result(id);
  const names = receivers.hook.deliveries.map(({ headers }) => headers['webhook-id']);
  expect(names).toEqual(Array(2).fill(`${id}.0.${situation.ids[0]}`));
});

test('a replay starts at once between two tries of a notification', async () => {
  // The second try does not end before the replay has ended.
  const held = hold();
  receivers.slack.faults = [slackRateLimited(10), held.reply];
  const situation = await accountWith(stage, [receivers.destinations[2]]);
  const id = await sendEvent(stage, situation);
  await stage.gateway.admin.eventually(id, (e) => typeof e.notifications[0]?.error === 'string');
  situation.consumer.replies = [200];
  expect((await stage.operate.replay(id)).status).toBe(202);
  const replayed = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(replayed.notifications).toMatchObject([{ status: 'pending', generation: 0 }]);
  await held.arrived;
  held.answer(500);
  const event = await stage.gateway.admin.eventually(id, (e) => e.notifications[0]?.status === 'sent');
  // The answer that asked to wait used up no try.
  expect(summarised(event)).toEqual(['0 chat_one sent 2']);
  await stage.workflows.result(id);
  expect([receivers.slack.requests.length, receivers.slack.messages.length]).toEqual([3, 1]);
});
