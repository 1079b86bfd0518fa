import type { ServerResponse } from 'node:http';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { claimMessages } from '../../src/notifications/incident-messages/claim-messages.ts';
import { askToWait, hold } from '../support/replies.ts';
import { shownBySlack } from '../support/services/notified-events.ts';
import { webhookTo } from '../support/services/receivers.ts';
import { slackRateLimited } from '../support/services/slack.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { until } from '../support/until.ts';
import { useForAll } from '../support/use.ts';
import { incidentsOf, summarised } from './incident-support.ts';

// Tries of messages about incidents, which do not go through Temporal.

// They wait for services, retries and gaps.

const { stage, receivers } = useReceivers({ notifications: { gapMs: 0, waitsMs: [20, 20, 20, 20] } });
const incidents = useForAll(() => incidentsOf(stage.gateway));

/** As if the time until the next try were over. */
const makeDue = (id: string) =>
  stage.gateway.rows('update incident_messages set due_at = now() where incident_id = $1', [id]);
const names = () => receivers.hook.deliveries.map(({ headers }) => headers['webhook-id']);

test('a message that is refused is tried again with the same name, and the next change waits for it', async () => {
  const held = hold();
  receivers.hook.replies = [500, held.reply, 200];
  const { account } = await incidents.account([webhookTo(receivers.hook, '/hook')]);
  const id = await incidents.open(account);
  await held.arrived;
  await incidents.resolve(id);
  held.answer(503);
  const messages = await incidents.settled(id, 2);
  expect(summarised(messages)).toEqual(['Hook /hook opened sent 3', 'Hook /hook resolved sent 1']);
  const [opened, resolved] = messages.map((message) => message.id);
  expect(names()).toEqual([opened, opened, opened, resolved]);
});

test('after five tries a message has failed, and the next one is sent', async () => {
  receivers.hook.replies = [500, 500, 500, 500, 500, 200];
  const { account } = await incidents.account([webhookTo(receivers.hook, '/hook')]);
  const id = await incidents.open(account);
  const [failed] = await incidents.settled(id, 1);
  expect(failed).toMatchObject({ status: 'failed', attempts: 5, error: expect.stringContaining('500') });
  await incidents.resolve(id);
  expect(summarised(await incidents.settled(id, 2))).toEqual([
    'Hook /hook opened failed 5',
    'Hook /hook resolved sent 1',
  ]);
});

test('messages to other destinations do not wait for one that answers 429 or never', async () => {
  const hanging = hold();
  receivers.hook.replies = [askToWait(429, 3_000), hanging.reply, 200];
  const { hook, mail, slack } = receivers;
  const first = await incidents.account([webhookTo(hook, '/busy')]);
  const busy = await incidents.open(first.account);
  await until('it asks to wait', async () => (await incidents.messages(busy))[0]?.error !== null);
  const { account } = await incidents.account([webhookTo(hook, '/hangs'), ...receivers.destinations.slice(1)]);
  const id = await incidents.open(account);
  await hanging.arrived;
  await until('the others are told', () => mail.messages.length === 1 && slack.messages.length === 1);
  hanging.answer(200);
  await incidents.settled(id, 4);
  expect(summarised(await incidents.messages(busy))).toEqual(['Hook /busy opened pending 0']);
});

test('webhooks that never answer leave room for an e-mail', async () => {
  const waiting: ServerResponse[] = [];
  receivers.hook.replies = [(response) => void waiting.push(response)];
  const { hook, mail } = receivers;
  const some = pLimit(10);
  const accounts = await Promise.all(
    Array.from({ length: 40 }, () => some(() => incidents.account([webhookTo(hook, '/hangs')]))),
  );
  const ids = await incidents.openOfAll(accounts.map(({ account }) => account));
  await until('webhooks wait for an answer', () => waiting.length >= 24);
  const { account } = await incidents.account([receivers.destinations[1]]);
  await incidents.open(account);
  await until('the e-mail has come', () => mail.messages.length === 1);
  expect(waiting).toHaveLength(24);
  hook.replies = [200];
  for (const response of waiting) response.end();
  for (const id of ids) await incidents.settled(id, 1);
});

test('a chat that asks to wait more often than a message has tries gets it in the end', async () => {
  const { slack } = receivers;
  slack.faults.push(...Array(7).fill(slackRateLimited(0)));
  const { account } = await incidents.account([receivers.destinations[2]]);
  expect(summarised(await incidents.settled(await incidents.open(account), 1))).toEqual(['Chat one opened sent 1']);
  expect(new Set(slack.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('incidents that were sent as one message are tried again as one message', async () => {
  const { slack } = receivers;
  slack.faults.push(500, 503);
  const accounts = await Promise.all(Array.from({ length: 30 }, () => incidents.account([receivers.destinations[2]])));
  const ids = await incidents.openOfAll(accounts.map(({ account }) => account));
  for (const id of ids) expect(summarised(await incidents.settled(id, 1))).toEqual(['Chat one opened sent 3']);
  expect(slack.requests).toHaveLength(3);
  expect(new Set(slack.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(new Set(slack.requests.map(({ body }) => body.toString())).size).toBe(1);
  expect(shownBySlack(slack.messages[0])).toContain('30 incidents of 30 accounts: 30 opened.');
});

test('two workers send each message once', async () => {
  const second = await stage.gateway.startWorker();
  const accounts = await Promise.all(
    Array.from({ length: 12 }, () =>
      incidents.account([webhookTo(receivers.hook, '/hook'), receivers.destinations[2]]),
    ),
  );
  const ids = await incidents.openOfAll(accounts.map(({ account }) => account));
  for (const id of ids) await incidents.settled(id, 2);
  await Promise.all(ids.map((id) => incidents.resolve(id)));
  for (const id of ids) await incidents.settled(id, 4);
  await second.stop();
  expect(new Set(names()).size).toBe(24);
  expect(names()).toHaveLength(24);
  expect(receivers.slack.messages.length).toBeLessThanOrEqual(13);
  expect(receivers.complaints()).toEqual([]);
});

test('a message whose worker was killed during the try is sent by another one with the same name', async () => {
  await stage.gateway.stopWorker();
  const { account } = await incidents.account([receivers.destinations[2]]);
  const id = await incidents.open(account);
  const options = { tries: 5, leaseS: 600, most: 8, webhooks: 8, limits: { gapMs: 0, windowMs: 600_000, burst: null } };
  // Another process claims it, and ends.
  const { claimed } = await claimMessages(stage.gateway.database, options);
  expect(claimed).toHaveLength(1);
  expect((await claimMessages(stage.gateway.database, options)).claimed).toEqual([]);
  await makeDue(id);
  await stage.gateway.startWorker();
  expect(summarised(await incidents.settled(id, 1))).toEqual(['Chat one opened sent 2']);
  expect(receivers.slack.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([claimed[0]?.id]);
});

test('a message whose last try has no recorded outcome fails, and is not sent again', async () => {
  await stage.gateway.stopWorker();
  const { account } = await incidents.account([webhookTo(receivers.hook, '/hook')]);
  const id = await incidents.open(account);
  await stage.gateway.rows('update incident_messages set attempts = 5, batch_id = id where incident_id = $1', [id]);
  await stage.gateway.startWorker();
  expect(await incidents.settled(id, 1)).toMatchObject([
    { status: 'failed', attempts: 5, error: 'the worker ended during the last try; it may have arrived' },
  ]);
  expect(names()).toEqual([]);
});

test('nothing is sent during a pause', async () => {
  const { admin } = stage.gateway;
  expect((await admin.post('/admin/delivery/pause')).status).toBeLessThan(300);
  const { account } = await incidents.account([webhookTo(receivers.hook, '/hook')]);
  const id = await incidents.open(account);
  await incidents.resolve(id);
  expect(summarised(await incidents.messages(id))).toEqual([
    'Hook /hook opened pending 0',
    'Hook /hook resolved pending 0',
  ]);
  expect((await admin.post('/admin/delivery/resume')).status).toBeLessThan(300);
  expect(summarised(await incidents.settled(id, 2))).toEqual([
    'Hook /hook opened sent 1',
    'Hook /hook resolved sent 1',
  ]);
});

test('a message that is tried again when its account is deleted becomes obsolete', async () => {
  const { admin } = stage.gateway;
  receivers.hook.replies = [500, askToWait(503, 600)];
  const { account } = await incidents.account([webhookTo(receivers.hook, '/hook')]);
  const id = await incidents.open(account);
  await until('it was tried twice', async () => (await incidents.messages(id))[0]?.error?.includes('503'));
  expect((await admin.post('/admin/delivery/pause')).status).toBeLessThan(300);
  await stage.operate.deleteAccount(account.id);
  await makeDue(id);
  expect((await admin.post('/admin/delivery/resume')).status).toBeLessThan(300);
  expect(await incidents.settled(id, 1)).toMatchObject([{ status: 'obsolete' }]);
  expect(receivers.hook.deliveries).toHaveLength(2);
});

test('a message that waits when its account is deleted becomes obsolete', async () => {
  const { admin } = stage.gateway;
  expect((await admin.post('/admin/delivery/pause')).status).toBeLessThan(300);
  const { account } = await incidents.account([webhookTo(receivers.hook, '/hook')]);
  const id = await incidents.open(account);
  await stage.operate.deleteAccount(account.id);
  expect((await admin.post('/admin/delivery/resume')).status).toBeLessThan(300);
  expect(summarised(await incidents.settled(id, 1))).toEqual(['Hook /hook opened obsolete 0']);
  expect(names()).toEqual([]);
});
