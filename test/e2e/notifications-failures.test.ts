import { expect, test } from 'vitest';
import type { Reply } from '../support/consumer.ts';
import { askToWait, hold } from '../support/replies.ts';
import { discordPath, discordRateLimited } from '../support/services/discord.ts';
import {
  accountWith,
  allSent,
  type Notification,
  notified,
  sendEvent,
  summarised,
} from '../support/services/notified-events.ts';
import { type Destination, hookPath, webhookTo } from '../support/services/receivers.ts';
import { sendGridRateLimited, sendGridRevoked } from '../support/services/sendgrid.ts';
import { slackPath, slackRateLimited } from '../support/services/slack.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { storeDestinationConfig } from '../support/store-address.ts';

// Destinations fail independently of each other (docs/notifications.md).

const { stage, receivers } = useReceivers({ notifications: { waitsMs: [20, 20, 20, 20] } });

test('a destination that does not answer gets five tries, and the others are notified at once', async () => {
  const held = hold();
  receivers.hook.replies = [held.reply, 500];
  const id = await sendEvent(stage, await accountWith(stage, receivers.destinations));
  await held.arrived;
  const waiting = await stage.gateway.admin.eventually(
    id,
    (e) => e.notifications.filter(({ status }: Notification) => status === 'sent').length === 3,
  );
  expect(waiting.notifications[0]).toMatchObject({ destination_type: 'webhook', status: 'pending', sent_at: null });
  held.answer(500);
  const event = await notified(stage, id, 4);
  expect(summarised(event)).toEqual([...allSent.slice(0, 3), '0 webhook failed 5']);
  expect(event.notifications[0]).toMatchObject({ sent_at: null, error: expect.stringContaining('500') });
  expect(receivers.counts()).toEqual({ webhook: 5, email: 1, chat_one: 1, chat_two: 1 });
  const names = receivers.hook.deliveries.map(({ headers }) => headers['webhook-id']);
  expect(new Set(names).size).toBe(1);
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'exhausted' });
});

test('the event is failed even if all notifications fail', async () => {
  receivers.hook.replies = [500];
  for (const service of [receivers.mail, receivers.slack, receivers.discord]) service.outage = 500;
  const event = await notified(stage, await sendEvent(stage, await accountWith(stage, receivers.destinations)), 4);
  expect(event).toMatchObject({ status: 'failed', delivery_status: 'failed' });
  expect(summarised(event)).toEqual(allSent.map((line) => line.replace('sent 1', 'failed 5')));
  expect(receivers.counts()).toEqual({ webhook: 5, email: 0, chat_one: 0, chat_two: 0 });
});

test('a destination that accepts the fifth try has been notified', async () => {
  receivers.hook.replies = [500, 502, 503, 504, 204];
  const event = await notified(stage, await sendEvent(stage, await accountWith(stage, [receivers.destinations[0]])), 1);
  expect(summarised(event)).toEqual(['0 webhook sent 5']);
});

test('each destination is retried after the delay that it asks for', async () => {
  const waitS = 2;
  receivers.hook.replies = [askToWait(429, waitS), 200];
  receivers.mail.faults = [sendGridRateLimited(waitS)];
  receivers.slack.faults = [slackRateLimited(waitS)];
  receivers.discord.faults = [discordRateLimited(waitS)];
  const event = await notified(stage, await sendEvent(stage, await accountWith(stage, receivers.destinations)), 4);
  expect(summarised(event)).toEqual(allSent);
  const came = [
    receivers.hook.deliveries,
    receivers.mail.requests,
    receivers.slack.requests,
    receivers.discord.requests,
  ];
  const gapsMs = came.map(([first, second]) => (second?.atMs ?? 0) - (first?.atMs ?? 0));
  // Tolerance of a few ms: the delay starts at the answer, the gap at the request, with different clocks.
  expect(gapsMs.filter((gapMs) => gapMs < waitS * 1000 - 20)).toEqual([]);
});

test('services that ask to wait more often than a message has tries get it in the end', async () => {
  const times = 7;
  receivers.hook.replies = [...Array(times).fill(askToWait(429, 0)), 200];
  receivers.mail.faults = Array(times).fill(sendGridRateLimited(0));
  receivers.slack.faults = Array(times).fill(slackRateLimited(0));
  receivers.discord.faults = Array(times).fill(discordRateLimited(0));
  const event = await notified(stage, await sendEvent(stage, await accountWith(stage, receivers.destinations)), 4);
  expect(summarised(event)).toEqual(allSent);
  expect(receivers.slack.requests).toHaveLength(times + 1);
});

test('a private address is refused without delaying other destinations', async () => {
  const secret = '/the-path/of-an-internal/service';
  const url = 'https://service.test/';
  const services: Destination[] = [
    { destination_type: 'webhook', name: 'Private', config: { url } },
    { destination_type: 'chat_one', name: 'Private', config: { webhook_url: url } },
    { destination_type: 'chat_two', name: 'Private', config: { webhook_url: url } },
  ];
  const destinations = [...services, ...services, webhookTo(receivers.hook, hookPath, { name: 'Hook' })];
  const situation = await accountWith(stage, destinations);
  for (const [n, id] of situation.ids.slice(0, 6).entries()) {
    const stored = `${n < 3 ? 'http://10.0.0.1' : 'http://169.254.169.254'}${secret}`;
    const config: Record<string, string> = n % 3 === 0 ? { url: stored } : { webhook_url: stored };
    await storeDestinationConfig(stage.gateway, situation.account.id, id, config);
  }
  const event = await notified(stage, await sendEvent(stage, situation), 7);
  const statuses = event.notifications.map(({ status }: Notification) => status);
  expect(statuses).toEqual([...Array(6).fill('failed'), 'sent']);
  for (const { error } of event.notifications.slice(0, 6)) expect(error).toMatch(/address|refused|public|allowed/i);
  expect(JSON.stringify(event)).not.toContain(secret);
});

/** Repeats the request in the answer, as a careless service could. */
const echo: Reply = (response, { url, headers, body }) => {
  response.writeHead(500, { 'content-type': 'text/plain', 'x-url': url });
  response.end(`no: ${url} ${JSON.stringify(headers)} ${body}`);
};

test('neither errors nor answers show the secret parts of a destination', async () => {
  receivers.hook.replies = [echo];
  receivers.mail.faults = [sendGridRevoked, ...Array(4).fill(echo)];
  receivers.slack.outage = echo;
  receivers.discord.outage = echo;
  const { destinations, mail } = receivers;
  const gone: Destination[] = [
    { destination_type: 'chat_one', name: 'Gone', config: { webhook_url: `http://127.0.0.1:1${slackPath}` } },
    { destination_type: 'chat_two', name: 'Gone', config: { webhook_url: `http://127.0.0.1:1${discordPath}` } },
  ];
  const event = await notified(stage, await sendEvent(stage, await accountWith(stage, [...destinations, ...gone])), 6);
  expect(event.notifications.map(({ status }: Notification) => status)).toEqual(Array(6).fill('failed'));
  for (const { error } of event.notifications) expect(error).toMatch(/\S/);
  const shown = JSON.stringify(event);
  const secrets = [hookPath, slackPath, discordPath, mail.apiKey];
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
  // Only the secret parts of the URLs.
  expect(shown).not.toContain(slackPath.split('/').at(-1));
  expect(shown).not.toContain(discordPath.split('/').at(-1));
});
