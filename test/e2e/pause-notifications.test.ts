import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lastAttempt } from '../support/gateway.ts';
import { pauseDeliveries, resumeDeliveries } from '../support/paused.ts';
import { hold } from '../support/replies.ts';
import {
  accountWith,
  allSent,
  notified,
  type Situation,
  sendEvent,
  summarised,
} from '../support/services/notified-events.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { until } from '../support/until.ts';

// Notifications wait while deliveries are paused, and are sent afterwards.

const { stage, receivers } = useReceivers({ notifyBurst: 1, notifications: { burstMs: 60_000 }, overdueS: 1 });

/** Several rounds of the sweep and the summaries, which look twice a second for rows that are a second overdue. */
const looksMs = 3_000;
const nothing = { webhook: 0, email: 0, chat_one: 0, chat_two: 0 };
const waiting = (id: string) =>
  stage.gateway.rows('select status, attempts from notifications where event_id = $1', [id]);

/** An event whose last attempt fails while deliveries are paused. */
async function exhaustedInPause(situation: Situation): Promise<string> {
  const held = hold();
  situation.consumer.replies = [...Array(lastAttempt - 1).fill(500), held.reply];
  const id = await sendEvent(stage, situation);
  await held.arrived;
  await pauseDeliveries(stage.gateway.admin);
  held.answer(500);
  await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'failed');
  return id;
}

test('notifications wait without using up a try, also in the sweep, and are sent once', async () => {
  const situation = await accountWith(stage, receivers.destinations);
  const id = await exhaustedInPause(situation);
  await sleep(looksMs);
  expect(await waiting(id)).toEqual(Array(4).fill({ status: 'pending', attempts: 0 }));
  expect(receivers.counts()).toEqual(nothing);
  await resumeDeliveries(stage.gateway.admin);
  expect(summarised(await notified(stage, id, 4))).toEqual(allSent);
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'exhausted', attempts: lastAttempt });
  expect(receivers.counts()).toEqual({ webhook: 1, email: 1, chat_one: 1, chat_two: 1 });
});

test('a summary that becomes due waits too', async () => {
  const [, , chat] = receivers.destinations;
  const situation = await accountWith(stage, [chat]);
  await notified(stage, await sendEvent(stage, situation, '{"id":"first"}'), 1);
  const folded = await exhaustedInPause(situation);
  expect(await waiting(folded)).toEqual([expect.objectContaining({ status: 'suppressed' })]);
  await stage.gateway.rows('update notification_summaries set due_at = now()');
  await sleep(looksMs);
  expect(receivers.slack.messages).toHaveLength(1);
  await resumeDeliveries(stage.gateway.admin);
  await until('the summary is sent', () => receivers.slack.messages.length === 2);
  const summaries = await stage.gateway.rows('select attempts from notification_summaries');
  expect(summaries).toEqual([{ attempts: 1 }]);
});
