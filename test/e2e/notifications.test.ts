import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { lastAttempt } from '../support/gateway.ts';
import { secretText } from '../support/secrets.ts';
import {
  accountWith,
  allSent,
  notified,
  sendEvent,
  shownByDiscord,
  shownByMail,
  shownBySlack,
  summarised,
} from '../support/services/notified-events.ts';
import { hookSecret, mailAddress, webhookTo } from '../support/services/receivers.ts';
import { useReceivers } from '../support/services/use-receivers.ts';

// The messages to destinations after the last attempt has failed (docs/notifications.md).

const { stage, receivers } = useReceivers();

const payload = '{"id":"order-4711","type":"order.created","note":"only for those who asked"}';

test('destinations of all four kinds are notified once, and the event shows it', async () => {
  const account = await accountWith(stage, receivers.destinations);
  const id = await sendEvent(stage, account, payload);
  const event = await notified(stage, id, 4);
  expect(event).toMatchObject({ status: 'failed', attempts: lastAttempt });
  expect(summarised(event)).toEqual(allSent);
  expect(event.notifications).toEqual(
    receivers.destinations.map(({ destination_type, name }, at) =>
      expect.objectContaining({
        ...{ destination_id: account.ids[at], destination_type, name, generation: 0 },
        ...{ error: null, sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) },
      }),
    ),
  );
  expect(await stage.workflows.result(id)).toMatchObject({
    outcome: 'exhausted',
    generation: 0,
    attempts: lastAttempt,
  });
  expect(receivers.counts()).toEqual({ webhook: 1, email: 1, chat_one: 1, chat_two: 1 });
  expect(receivers.complaints()).toEqual([]);
});

test('each message has the event, the account, the error and a link', async () => {
  const situation = await accountWith(stage, receivers.destinations);
  const id = await sendEvent(stage, situation, payload);
  const event = await notified(stage, id, 4);
  const mail = shownByMail(receivers.mail.messages[0]);
  const said = {
    hook: receivers.hook.deliveries[0]?.body.toString() ?? '',
    text: mail.text,
    html: mail.html,
    slack: shownBySlack(receivers.slack.messages[0]),
    discord: shownByDiscord(receivers.discord.messages[0]),
  };
  expect(event.last_error).toMatch(/500/);
  const facts = {
    type: 'order.created',
    provider: 'generic',
    slug: situation.account.account_slug,
    id,
    error: event.last_error,
    link: `${stage.gateway.baseUrl}/dashboard/events/${id}`,
  };
  const missing = Object.entries(said).flatMap(([where, text]) =>
    Object.entries(facts).flatMap(([fact, value]) => (text.includes(value) ? [] : [`${fact} in ${where}`])),
  );
  expect(missing).toEqual([]);
  expect(mail.raw).toContain(`href="${facts.link}"`);
  expect(mail.subject).toMatch(/\S/);
  for (const text of Object.values(said)) expect(text).not.toContain('only for those who asked');
});

test('a mail goes to all addresses, with the payload attached unchanged if the destination asks for it', async () => {
  const addresses = [mailAddress, 'second@ops.example'];
  const mail = (name: string, more: object) => ({
    ...{ destination_type: 'email' as const, name },
    config: { addresses, ...more },
  });
  const situation = await accountWith(stage, [
    mail('with', { include_payload: true }),
    mail('without', { include_payload: false }),
    mail('silent', {}),
  ]);
  // Differs from the output of JSON.stringify.
  const bytes = Buffer.from('{ "id":1.0,\r\n\t"type" : "order.created", "text":"\\u00e9\u00e9" }\n');
  await notified(stage, await sendEvent(stage, situation, bytes), 3);
  const { messages } = receivers.mail;
  expect(messages.map(({ from }) => from.email)).toEqual(Array(3).fill('gateway@gateway.example'));
  const everybody = messages.map(({ personalizations }) =>
    personalizations
      .flatMap(({ to, cc = [], bcc = [] }) => [...to, ...cc, ...bcc].map(({ email }) => email))
      .toSorted(),
  );
  expect(everybody).toEqual(Array(3).fill(addresses.toSorted()));
  const attached = messages.flatMap(({ attachments = [] }) => attachments);
  expect(attached.map(({ content }) => Buffer.from(content, 'base64'))).toEqual([bytes]);
  expect(receivers.complaints()).toEqual([]);
});

test('a webhook is signed, and keeps its id on every try', async () => {
  const { hook, destinations } = receivers;
  const plaintext = { url: new URL('/plaintext', hook.url).href, secret: secretText('a-plaintext-secret') };
  const situation = await accountWith(stage, [
    destinations[0],
    webhookTo(hook, '/plaintext', { config: plaintext }),
    webhookTo(hook, '/unsigned'),
  ]);
  const id = await sendEvent(stage, situation, payload);
  const event = await notified(stage, id, 3);
  const at = (path: string) => hook.deliveries.find(({ url }) => url === path);
  const secrets = [new Webhook(hookSecret), new Webhook(plaintext.secret, { format: 'raw' }), null];
  for (const [index, path] of [
    new URL(String(destinations[0].config.url)).pathname,
    '/plaintext',
    '/unsigned',
  ].entries()) {
    const { headers, body } = at(path) ?? expect.fail(`nothing came to ${path}`);
    const name = `${id}.0.${situation.ids[index]}`;
    expect(headers).toMatchObject({ 'webhook-id': name, 'idempotency-key': name });
    expect(headers['content-type']).toMatch(/^application\/json/);
    const verifier = secrets[index];
    const given = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, String(value)]));
    const message: unknown = verifier ? verifier.verify(body, given) : JSON.parse(body.toString());
    if (!verifier) expect(headers).not.toHaveProperty('webhook-signature');
    expect(message).toEqual({
      type: 'delivery.failed',
      id: name,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: {
        event: expect.objectContaining({
          ...{ id, provider: 'generic', account_slug: situation.account.account_slug, app_key: 'tests' },
          ...{ event_type: 'order.created', external_id: 'order-4711', delivery_status: 'failed', generation: 0 },
        }),
        error: event.last_error,
        attempts: lastAttempt,
        dashboard_url: `${stage.gateway.baseUrl}/dashboard/events/${id}`,
      },
    });
  }
});

test('every message has the id of its notification, so that services can deduplicate', async () => {
  const { ids, ...situation } = await accountWith(stage, receivers.destinations);
  const id = await sendEvent(stage, { ids, ...situation }, payload);
  await notified(stage, id, 4);
  const posts = [receivers.hook.deliveries, receivers.slack.requests, receivers.discord.requests];
  const names = ids.map((destination) => `${id}.0.${destination}`);
  const [hook, mail, slack, discord] = names;
  expect(posts.map(([request]) => request?.headers['idempotency-key'])).toEqual([hook, slack, discord]);
  const [message] = receivers.mail.messages;
  expect({ ...message?.custom_args, ...message?.personalizations[0]?.custom_args }).toMatchObject({
    notification_id: mail,
  });
});
