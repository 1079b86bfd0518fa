import { expect, test } from 'vitest';
import { lastAttempt } from '../support/gateway.ts';
import { discordPath } from '../support/services/discord.ts';
import {
  accountWith,
  allSent,
  type Notification,
  notified,
  sendEvent,
  summarised,
} from '../support/services/notified-events.ts';
import { hookPath, hookSecret, mailAddress } from '../support/services/receivers.ts';
import { slackPath } from '../support/services/slack.ts';
import { useReceivers } from '../support/services/use-receivers.ts';

// What Temporal's Web UI shows of notifications, and what it must not show (docs/concepts.md, docs/notifications.md).

const { stage, receivers } = useReceivers({ apiDelivers: false, notifications: { waitsMs: [10, 10, 10, 10] } });

/** The names of the activities that a finished workflow scheduled, and every text and byte of its history. */
async function historyOf(id: string): Promise<{ activities: string[]; text: string }> {
  await stage.workflows.result(id);
  return { activities: await stage.workflows.activities(id), text: await stage.workflows.text(id) };
}

const payload = '{"id":"one","type":"order.created","note":"payload-for-nobody"}';
const four = ['notifyChatOne', 'notifyChatTwo', 'notifyEmail', 'notifyWebhook'];

test('each destination has its own activity, named after its kind', async () => {
  const situation = await accountWith(stage, [...receivers.destinations, ...receivers.destinations.slice(0, 1)]);
  const id = await sendEvent(stage, situation, payload);
  await notified(stage, id, 5);
  const { activities } = await historyOf(id);
  expect(activities.toSorted()).toEqual(
    [...Array(lastAttempt).fill('attemptDelivery'), ...four, 'notifyWebhook'].toSorted(),
  );
});

test('the history contains only ids, also when attempts and notifications fail', async () => {
  receivers.hook.replies = [(response) => response.writeHead(500).end('answer-of-the-hook'), 200];
  receivers.slack.faults = [(response) => response.writeHead(500).end('answer-of-slack')];
  const situation = await accountWith(stage, receivers.destinations, [
    (response) => response.writeHead(500).end('answer-of-the-consumer'),
  ]);
  const id = await sendEvent(stage, situation, payload);
  const event = await notified(stage, id, 4);
  expect(summarised(event)).not.toEqual(allSent);
  const { activities, text } = await historyOf(id);
  expect([...new Set(activities)].toSorted()).toEqual(['attemptDelivery', ...four]);
  expect(text).toContain(id);
  const secrets = [
    ...[hookPath, slackPath, discordPath, receivers.hook.url, receivers.slack.origin, receivers.discord.origin],
    ...[hookSecret, mailAddress, 'gateway@gateway.example', receivers.mail.apiKey, receivers.mail.origin],
    ...['payload-for-nobody', 'answer-of-', event.last_error, 'Chat one', 'dashboard'],
  ];
  // The page of the event in the console is for everybody who sees its workflow.
  const rest = text.replaceAll(`/dashboard/events/${id}`, '');
  expect(secrets.filter((secret) => rest.includes(secret))).toEqual([]);
});

test('the reason of a permanent failure is not in the history', async () => {
  receivers.hook.replies = [(response) => response.writeHead(500).end('answer-of-the-hook')];
  const id = await sendEvent(stage, await accountWith(stage, receivers.destinations.slice(0, 1)), payload);
  const [notification]: Notification[] = (await notified(stage, id, 1)).notifications;
  expect(notification).toMatchObject({ status: 'failed', attempts: 5, error: expect.stringMatching(/\S/) });
  const { activities, text } = await historyOf(id);
  expect(activities).toContain('notifyWebhook');
  expect([notification?.error ?? '', 'answer-of-the-hook', hookPath].filter((secret) => text.includes(secret))).toEqual(
    [],
  );
});
