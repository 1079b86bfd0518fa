import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { type Api, gatewayRoles, type Roles } from '../support/gateway-roles.ts';
import { hang } from '../support/replies.ts';
import type { RunningRole } from '../support/running-role.ts';
import { discordPath } from '../support/services/discord.ts';
import {
  addDestination,
  type Notification,
  shownByDiscord,
  shownBySlack,
} from '../support/services/notified-events.ts';
import { hookPath, hookSecret, mailAddress, startReceivers } from '../support/services/receivers.ts';
import { slackPath } from '../support/services/slack.ts';
import { forTest } from '../support/use.ts';

/** Notifications of a killed worker are found by the sweep after at most 120 s. */
const limitMs = 240_000;
gatewaysEndWithTheirTest();

/** A gateway, and an account with all four destinations and a consumer that refuses every delivery. */
async function stageOf<Worker extends RunningRole>(start: (roles: Roles) => Promise<[Api, Worker]>) {
  const receivers = await forTest(startReceivers());
  const consumer = await consumerForTest(500);
  const roles = gatewayRoles({
    databaseUrl: await migratedDatabase(),
    variables: {
      DELIVERY_SCHEDULE: Array(9).fill('1ms').join(),
      DELIVERY_TIMEOUT: '10s',
      // A name without a dot, as between containers, which not every service accepts in a URL.
      PUBLIC_URL: 'http://gateway:8080',
      SENDGRID_API_KEY: receivers.mail.apiKey,
      SENDGRID_BASE_URL: receivers.mail.origin,
    },
  });
  const [api, worker] = await start(roles);
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  for (const [position, destination] of receivers.destinations.entries())
    await addDestination(api.admin, account.id, { ...destination, position });
  const sendOne = async (): Promise<string> =>
    (await send(api.baseUrl, account, '{"id":"one","type":"order"}')).body.id;
  return { receivers, roles, api, worker, sendOne };
}

const ofType = (event: { notifications: Notification[] }, type: Notification['destination_type']) =>
  event.notifications.find(({ destination_type }) => destination_type === type);

test('when a worker is killed after two of four destinations have answered, only the other two are notified', async () => {
  const { receivers, roles, api, worker, sendOne } = await stageOf((roles) =>
    Promise.all([roles.apiHere(), roles.startWorker()]),
  );
  const { hook, mail } = receivers;
  hook.replies = [hang];
  mail.outage = 503;
  const id = await sendOne();
  await api.admin.eventually(
    id,
    (event) =>
      ofType(event, 'chat_one')?.status === 'sent' &&
      ofType(event, 'chat_two')?.status === 'sent' &&
      ofType(event, 'email')?.attempts !== 0 &&
      hook.deliveries.length > 0,
  );
  expect(await worker.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  const between = await api.admin.event(id);
  expect([ofType(between, 'webhook')?.status, ofType(between, 'email')?.status]).toEqual(['pending', 'pending']);
  hook.replies = [200];
  mail.outage = null;

  await roles.workerHere();
  const event = await api.admin.eventually(
    id,
    (e) => e.notifications.every(({ status }: Notification) => status === 'sent'),
    limitMs,
  );
  expect(event.notifications).toHaveLength(4);
  expect(receivers.counts()).toMatchObject({ email: 1, chat_one: 1, chat_two: 1 });
  expect([receivers.slack.requests.length, receivers.discord.requests.length]).toEqual([1, 1]);
  // The destination that hung gets the message again with the same id.
  expect(hook.deliveries.length).toBeGreaterThan(1);
  expect(new Set(hook.deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const link = `http://gateway:8080/dashboard/events/${id}`;
  expect(shownByDiscord(receivers.discord.messages[0])).toContain(link);
  expect(shownBySlack(receivers.slack.messages[0])).toContain(link);
  expect(receivers.complaints()).toEqual([]);
});

test('notifications that are pending while no worker runs are sent by the next worker', async () => {
  const { receivers, roles, api, worker, sendOne } = await stageOf((roles) =>
    Promise.all([roles.apiHere(), roles.workerHere()]),
  );
  const { hook, mail, slack, discord } = receivers;
  hook.replies = [503];
  for (const service of [mail, slack, discord]) service.outage = 503;
  const id = await sendOne();
  await api.admin.eventually(
    id,
    (e) => e.notifications.length === 4 && e.notifications.every(({ attempts }: Notification) => attempts > 0),
  );
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  hook.replies = [200];
  for (const service of [mail, slack, discord]) service.outage = null;
  const takenBefore = hook.deliveries.length;
  await roles.workerHere();
  await api.admin.eventually(
    id,
    (e) => e.notifications.every(({ status }: Notification) => status === 'sent'),
    limitMs,
  );
  expect(receivers.counts()).toEqual({ webhook: takenBefore + 1, email: 1, chat_one: 1, chat_two: 1 });
});

test('no log of any process contains the secrets of a destination', async () => {
  const { receivers, api, worker, sendOne } = await stageOf((roles) =>
    Promise.all([roles.startApi(), roles.startWorker()]),
  );
  receivers.hook.replies = [500, 200];
  receivers.mail.faults = [401];
  receivers.slack.faults = [(response) => response.writeHead(500).end('answer-of-slack')];
  const id = await sendOne();
  await api.admin.eventually(
    id,
    (e) => e.notifications.length === 4 && e.notifications.every(({ status }: Notification) => status !== 'pending'),
    limitMs,
  );
  const logs = `${api.stderr()}${worker.stderr()}`;
  expect(logs).toContain(id);
  const secrets = [hookPath, slackPath, discordPath, hookSecret, mailAddress, receivers.mail.apiKey, 'answer-of-slack'];
  expect(secrets.filter((secret) => logs.includes(secret))).toEqual([]);
});
