import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { hold } from '../support/replies.ts';
import { shownByDiscord, shownByMail, shownBySlack } from '../support/services/notified-events.ts';
import { hookSecret, webhookTo } from '../support/services/receivers.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { useForAll } from '../support/use.ts';
import { incidentKinds, incidentsOf, summarised } from './incident-support.ts';

// Messages to destinations about incidents (docs/notifications.md).

// They wait for services, retries and gaps.

const { stage, receivers } = useReceivers({ notifications: { gapMs: 0 } });
const incidents = useForAll(() => incidentsOf(stage.gateway));

const hooks = () => receivers.hook.deliveries.map(({ url, body }) => ({ url, ...JSON.parse(body.toString()) }));
const one = { webhook: 1, email: 1, chat_one: 1, chat_two: 1 };

test('destinations of all four kinds are told once that an incident has opened, and once that it is resolved', async () => {
  const { account } = await incidents.account(receivers.destinations);
  const id = await incidents.open(account, { cause: '500 TypeError <webhooks.js>:#' });
  expect(summarised(await incidents.settled(id, 4))).toEqual(
    ['Hook', 'Mail', 'Chat one', 'Chat two'].map((name) => `${name} opened sent 1`),
  );
  expect(receivers.counts()).toEqual(one);
  const said = [
    receivers.hook.deliveries[0]?.body.toString() ?? '',
    shownBySlack(receivers.slack.messages[0]),
    shownByDiscord(receivers.discord.messages[0]),
    shownByMail(receivers.mail.messages[0]).text,
    shownByMail(receivers.mail.messages[0]).html,
  ];
  for (const text of said)
    for (const fact of [
      account.account_slug,
      '500 TypeError <webhooks.js>:#',
      `${stage.gateway.baseUrl}/dashboard/incidents/${id}`,
    ])
      expect(text).toContain(fact);
  expect(shownByMail(receivers.mail.messages[0]).subject).toMatch(/^Incident opened: /);

  await incidents.resolve(id);
  const messages = await incidents.settled(id, 8);
  expect(summarised(messages).slice(4)).toEqual(
    ['Hook', 'Mail', 'Chat one', 'Chat two'].map((name) => `${name} resolved sent 1`),
  );
  expect(receivers.counts()).toEqual({ webhook: 2, email: 2, chat_one: 2, chat_two: 2 });
  expect(shownByMail(receivers.mail.messages[1]).subject).toMatch(/^Incident resolved: /);
  expect(receivers.complaints()).toEqual([]);
});

test('a webhook is signed and has the incident, with the id of its message', async () => {
  const { account, ids } = await incidents.account([receivers.destinations[0]]);
  const consumer = await stage.gateway.admin.post(`/admin/accounts/${account.id}/consumers`, {
    ...{ name: 'billing', url: 'https://billing.test/' },
  });
  expect(consumer.status).toBe(201);
  const id = await incidents.open(account, { consumer: 'billing' });
  const [message] = await incidents.settled(id, 1);
  expect(message).toEqual({
    id: message?.id,
    ...{ destination_id: ids[0], name: 'Hook', destination_type: 'webhook', kind: 'incident.opened', reminder: false },
    ...{ status: 'sent', attempts: 1, error: null, next_attempt_at: null, sent_with: 0 },
    ...{ created_at: expect.any(String), sent_at: expect.any(String) },
  });
  const [{ headers, body } = expect.fail('nothing came')] = receivers.hook.deliveries;
  expect(headers).toMatchObject({ 'webhook-id': message?.id, 'idempotency-key': message?.id });
  const given = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, String(value)]));
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(new Webhook(hookSecret).verify(body, given)).toEqual({
    ...{ type: 'incident.opened', id: message?.id, timestamp: time },
    data: {
      incident: {
        ...{ id, kind: 'delivery', state: 'open', account_id: account.id, provider: 'generic', app_key: 'tests' },
        ...{ account_slug: account.account_slug, consumer: 'billing', cause: '500 TypeError webhooks.js:#' },
        ...{ first_seen_at: time, last_seen_at: time, attempts: 5, example_event_id: null },
      },
      ...{ reminder: false, dashboard_url: `${stage.gateway.baseUrl}/dashboard/incidents/${id}` },
    },
  });
});

test('each destination gets the kinds that it asks for, by default none about incidents', async () => {
  const { hook } = receivers;
  const { account } = await incidents.account([
    { ...webhookTo(hook, '/both'), kinds: incidentKinds },
    { ...webhookTo(hook, '/opened'), kinds: ['delivery.failed', 'incident.opened'] },
    { ...webhookTo(hook, '/resolved'), kinds: ['incident.resolved'] },
    { ...webhookTo(hook, '/failed'), kinds: ['delivery.failed'] },
    { ...webhookTo(hook, '/default'), kinds: undefined },
  ] as never);
  const id = await incidents.open(account);
  await incidents.settled(id, 2);
  await incidents.resolve(id);
  await incidents.settled(id, 4);
  expect(
    hooks()
      .map(({ url, type }) => `${url} ${type}`)
      .toSorted(),
  ).toEqual([
    '/both incident.opened',
    '/both incident.resolved',
    '/opened incident.opened',
    '/resolved incident.resolved',
  ]);
});

test('with a condition, those incidents are told for which it holds', async () => {
  const { hook } = receivers;
  const conditions = {
    '/provider': 'provider == "generic"',
    '/slug': 'account_slug.startswith("incident-")',
    '/app': 'app_key in ["tests"] and consumer == "default"',
    '/no-event': 'not delivery_failed and not exists(payload.id) and attempts != 5',
    '/other': 'consumer == "billing"',
    '/failed': 'delivery_failed',
    '/type': 'event_type.startswith("order")',
    '/attempts': 'attempts > 0 or response_code == 500',
    '/header': 'header["x"] == "y" or payload.id == 1',
  };
  const { account } = await incidents.account(
    Object.entries(conditions).map(([path, condition]) => webhookTo(hook, path, { condition })),
    { account_slug: `incident-${Date.now()}` },
  );
  const id = await incidents.open(account);
  await incidents.settled(id, 4);
  expect(
    hooks()
      .map(({ url }) => url)
      .toSorted(),
  ).toEqual(['/app', '/no-event', '/provider', '/slug']);
});

test('an incident of rejected webhooks has no consumer, and one of the gateway is not told', async () => {
  const { hook } = receivers;
  const { account } = await incidents.account([
    webhookTo(hook, '/all'),
    webhookTo(hook, '/consumer', { condition: 'consumer == "default"' }),
  ]);
  const id = await incidents.open(account, { kind: 'rejections', cause: 'invalid_signature' });
  await incidents.settled(id, 1);
  expect(hooks()).toMatchObject([
    { url: '/all', data: { incident: { kind: 'rejections', consumer: null, cause: 'invalid_signature' } } },
  ]);
  const gateway = await incidents.open({ id: null } as never, { kind: 'gateway', cause: 'Temporal does not answer' });
  await incidents.resolve(gateway);
  expect(await incidents.messages(gateway)).toEqual([]);
});

test('a disabled or deleted destination, and a deleted account, are told nothing', async () => {
  const { hook } = receivers;
  const { admin } = stage.gateway;
  const { account, ids } = await incidents.account([
    webhookTo(hook, '/kept'),
    webhookTo(hook, '/disabled', { enabled: false }),
    webhookTo(hook, '/deleted'),
  ]);
  await admin.request('DELETE', `/admin/accounts/${account.id}/destinations/${ids[2]}`);
  const id = await incidents.open(account);
  await incidents.settled(id, 1);
  await admin.request('DELETE', `/admin/accounts/${account.id}`);
  await incidents.resolve(id).catch(() => undefined);
  expect(hooks().map(({ url, type }) => `${url} ${type}`)).toEqual(['/kept incident.opened']);
  expect(summarised(await incidents.messages(id))).toEqual(['Hook /kept opened sent 1']);
});

test('a destination that is changed, disabled or deleted afterwards gets what was recorded before', async () => {
  const { hook } = receivers;
  const { admin } = stage.gateway;
  const held = [hold(), hold(), hold()];
  hook.replies = [...held.map(({ reply }) => reply), 200];
  const { account, ids } = await incidents.account(['/a', '/b', '/c'].map((path) => webhookTo(hook, path)));
  const at = (n: number) => `/admin/accounts/${account.id}/destinations/${ids[n]}`;
  const id = await incidents.open(account);
  await Promise.all(held.map(({ arrived }) => arrived));
  await admin.request('PATCH', at(0), { config: { url: new URL('/new', hook.url).href } });
  await admin.request('PATCH', at(1), { enabled: false });
  await admin.request('DELETE', at(2));
  for (const one of held) one.answer(500);
  expect(summarised(await incidents.settled(id, 3)).toSorted()).toEqual([
    'Hook /a opened sent 2',
    'Hook /b opened sent 2',
    'Hook /c opened sent 2',
  ]);
  expect(
    hooks()
      .map(({ url }) => url)
      .toSorted(),
  ).toEqual(['/a', '/a', '/b', '/b', '/c', '/c']);
});

test('messages of an incident that does not exist are not found', async () => {
  for (const id of ['01900000-0000-7000-8000-000000000009', 'nothing'])
    expect(await stage.gateway.admin.request('GET', `/admin/incidents/${id}/messages`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
});
