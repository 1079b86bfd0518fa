import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { lastAttempt } from '../support/gateway.ts';
import { textsIn } from '../support/history.ts';
import { discordPath } from '../support/services/discord.ts';
import { hookPath, hookSecret, mailAddress, type Receivers } from '../support/services/receivers.ts';
import { slackPath } from '../support/services/slack.ts';
import { playWithReceivers } from '../support/services/stage.ts';
import { accountWith, allSent, type Notification, sendEvent, summarised, told } from '../support/services/telling.ts';
import type { Stage } from '../support/situations.ts';

// What the Web UI shows of notifications, and what it must not (docs/concepts.md, docs/notifications.md).

let stage: Stage;
let receivers: Receivers;
playWithReceivers({ firstAttempt: 'workflow', notifications: { waitsMs: [10, 10, 10, 10] } }, (...opened) => {
  [stage, receivers] = opened;
});

/** The names of the activities that a finished workflow scheduled, and every text and byte of its history. */
async function historyOf(id: string): Promise<{ activities: string[]; text: string }> {
  await stage.workflows.result(id);
  const { address, namespace } = stage.gateway.temporal;
  const connection = await Connection.connect({ address, channelArgs: { 'grpc.enable_http_proxy': 0 } });
  const { workflow } = new Client({ connection, namespace });
  const { events } = await workflow.getHandle(`event-${id}`).fetchHistory();
  await connection.close();
  return {
    activities: (events ?? []).flatMap((e) => e.activityTaskScheduledEventAttributes?.activityType?.name ?? []),
    text: textsIn(events).join('\n'),
  };
}

const payload = '{"id":"one","type":"order.created","note":"payload-for-nobody"}';
const four = ['notifyChatOne', 'notifyChatTwo', 'notifyEmail', 'notifyWebhook'];

test('each destination is an activity of its own, named by its kind', async () => {
  const situation = await accountWith(stage, [...receivers.destinations, ...receivers.destinations.slice(0, 1)]);
  const id = await sendEvent(stage, situation, payload);
  await told(stage, id, 5);
  const { activities } = await historyOf(id);
  expect(activities.toSorted()).toEqual(
    [...Array(lastAttempt).fill('attemptDelivery'), ...four, 'notifyWebhook'].toSorted(),
  );
});

test('the history names ids and nothing else, whatever goes wrong', async () => {
  receivers.hook.replies = [(response) => response.writeHead(500).end('answer-of-the-hook'), 200];
  receivers.slack.faults = [(response) => response.writeHead(500).end('answer-of-slack')];
  const situation = await accountWith(stage, receivers.destinations, [
    (response) => response.writeHead(500).end('answer-of-the-consumer'),
  ]);
  const id = await sendEvent(stage, situation, payload);
  const event = await told(stage, id, 4);
  expect(summarised(event)).not.toEqual(allSent);
  const { activities, text } = await historyOf(id);
  expect([...new Set(activities)].toSorted()).toEqual(['attemptDelivery', ...four]);
  expect(text).toContain(id);
  const secrets = [
    ...[hookPath, slackPath, discordPath, receivers.hook.url, receivers.slack.origin, receivers.discord.origin],
    ...[hookSecret, mailAddress, 'gateway@gateway.example', receivers.mail.apiKey, receivers.mail.origin],
    ...['payload-for-nobody', 'answer-of-', event.last_error, 'Chat one', 'dashboard'],
  ];
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});

test('a destination that fails for good leaves no reason in the history', async () => {
  receivers.hook.replies = [(response) => response.writeHead(500).end('answer-of-the-hook')];
  const id = await sendEvent(stage, await accountWith(stage, receivers.destinations.slice(0, 1)), payload);
  const [notification]: Notification[] = (await told(stage, id, 1)).notifications;
  expect(notification).toMatchObject({ status: 'failed', attempts: 5, error: expect.stringMatching(/\S/) });
  const { activities, text } = await historyOf(id);
  expect(activities).toContain('notifyWebhook');
  expect([notification?.error ?? '', 'answer-of-the-hook', hookPath].filter((secret) => text.includes(secret))).toEqual(
    [],
  );
});
