import { beforeEach, describe, expect, test } from 'vitest';
import { groupsOf } from '../support/groups-of.ts';
import { shownByMail, shownBySlack } from '../support/services/notified-events.ts';
import { mailAddress, webhookTo } from '../support/services/receivers.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { until } from '../support/until.ts';
import { useForAll } from '../support/use.ts';
import { incidentsOf, summarised } from './incident-support.ts';

// How many messages about incidents people get.

// They wait for services, retries and gaps.

describe('with the limits of production', () => {
  const { stage, receivers } = useReceivers();
  const incidents = useForAll(() => incidentsOf(stage.gateway));

  test('200 accounts that fail together are one e-mail and one message in the chat, and 200 webhooks', async () => {
    const { hook, destinations } = receivers;
    const [, mail, slack] = destinations;
    // The same addresses, in another order and case.
    const addresses = (n: number) =>
      n % 2 ? [mailAddress, 'second@ops.example'] : ['Second@ops.example', mailAddress.toUpperCase()];
    const accounts: { id: string }[] = [];
    for (const group of groupsOf([...Array(200).keys()], 10)) {
      const made = group.map((n) =>
        incidents.account([webhookTo(hook, '/hook'), slack, { ...mail, config: { addresses: addresses(n) } }]),
      );
      accounts.push(...(await Promise.all(made)).map(({ account }) => account));
    }
    const ids = await incidents.openOfAll(accounts);
    const told = await incidents.settled(ids.at(-1) ?? '', 3);
    expect(told.map(({ sent_with }) => sent_with)).toEqual([0, 199, 199]);
    await until('all webhooks have come', () => hook.deliveries.length >= 200);
    expect(new Set(hook.deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(200);
    expect(receivers.counts()).toEqual({ webhook: 200, email: 1, chat_one: 1, chat_two: 0 });
    const { subject, text } = shownByMail(receivers.mail.messages[0]);
    expect(subject).toBe('200 incidents opened (200 accounts)');
    expect(text).toContain('Here are the first 10 of them.');
    expect(text).toContain(`${stage.gateway.baseUrl}/dashboard/incidents\n`);
    // What follows within a minute waits for it. The minute begins now, however long the 200 webhooks took.
    await stage.gateway.rows('update incident_messages set sent_at = now() where sent_at is not null');
    await incidents.resolve(ids[0] ?? '');
    const webhook = 'Hook /hook resolved sent 1';
    // Recorded after the webhook has come.
    const ofEnd = await until('the webhook is told', async () => {
      const messages = summarised(await incidents.messages(ids[0] ?? '')).slice(3);
      return messages.includes(webhook) && messages;
    });
    expect(ofEnd).toEqual([webhook, 'Chat one resolved pending 0', 'Mail resolved pending 0']);
    expect(receivers.complaints()).toEqual([]);
  });

  test('the first incident at another address is told at once', async () => {
    const { account } = await incidents.account([receivers.destinations[3]]);
    const id = await incidents.open(account);
    expect(summarised(await incidents.settled(id, 1))).toEqual(['Chat two opened sent 1']);
  });
});

describe('with a short gap and window', () => {
  /** Longer than a test takes on a slow machine; `endWindow` ends it. */
  const windowMs = 60_000;
  const { stage, receivers } = useReceivers({
    notifications: { gapMs: 500, burstMs: windowMs },
    notifyBurst: 3,
  });
  const incidents = useForAll(() => incidentsOf(stage.gateway));
  const [, mail, slack] = [0, 1, 2].map((n) => () => receivers.destinations[n]);
  /** As if all messages until now had been sent before the window. */
  const endWindow = () =>
    stage.gateway.rows(`update incident_messages set sent_at = sent_at - make_interval(secs => ${windowMs / 1000})`);
  beforeEach(() => endWindow());

  test('what comes within the gap is one message after it', async () => {
    const accounts = await Promise.all([1, 2, 3].map(() => incidents.account([slack?.() ?? {}])));
    const [first, second, third] = accounts.map(({ account }) => account);
    const ids = [await incidents.open(first)];
    await incidents.settled(ids[0] ?? '', 1);
    ids.push(...(await incidents.openOfAll([second, third])));
    for (const id of ids) await incidents.settled(id, 1);
    const { messages, requests } = receivers.slack;
    expect(messages).toHaveLength(2);
    expect(shownBySlack(messages[1])).toContain('2 incidents of 2 accounts: 2 opened.');
    expect((requests[1]?.atMs ?? 0) - (requests[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(450);
  });

  test('a consumer that fails and recovers again and again gives two messages in the window, the last one with the last state', async () => {
    const { account } = await incidents.account([mail?.() ?? {}, webhookTo(receivers.hook, '/hook')]);
    const id = await incidents.open(account);
    await until('it is told', () => receivers.mail.messages.length === 1);
    await incidents.resolve(id);
    await until('its end is told', () => receivers.mail.messages.length === 2);
    // Told to neither: each undoes the one before.
    for (let n = 0; n < 5; n += 1) {
      await incidents.reopen(id);
      await incidents.resolve(id);
    }
    await incidents.reopen(id);
    expect(receivers.counts()).toMatchObject({ webhook: 2, email: 2 });
    await endWindow();
    await until('the present state is told', () => receivers.mail.messages.length === 3);
    expect(shownByMail(receivers.mail.messages[2]).subject).toMatch(/^Incident opened/);
    const told = (await incidents.messages(id)).filter(({ status }) => status !== 'obsolete');
    expect(told.filter(({ name }) => name === 'Mail').map(({ kind }) => kind)).toEqual([
      'incident.opened',
      'incident.resolved',
      'incident.opened',
    ]);
    await until('the webhook has the same', () => receivers.hook.deliveries.length === 3);
  });

  test('two destinations with one address are told of an incident once', async () => {
    const { account } = await incidents.account([mail?.() ?? {}, { ...mail?.(), name: 'The same' }]);
    const id = await incidents.open(account, { cause: '500 broken' });
    const told = await incidents.settled(id, 2);
    expect(told.map(({ status, sent_with }) => [status, sent_with])).toEqual([
      ['sent', 1],
      ['sent', 1],
    ]);
    const [message, ...others] = receivers.mail.messages;
    expect(others).toEqual([]);
    const { subject, text } = shownByMail(message);
    expect(subject).toMatch(/^Incident opened: .*500 broken/);
    expect(text).toContain(`${stage.gateway.baseUrl}/dashboard/incidents/${id}`);
  });

  test('the first message is sent although the incident is over, and what is undone after it is not', async () => {
    const { account } = await incidents.account([mail?.() ?? {}]);
    const other = await incidents.account([mail?.() ?? {}]);
    await incidents.settled(await incidents.open(other.account), 1);
    const id = await incidents.open(account);
    await incidents.resolve(id);
    const told = await incidents.settled(id, 2);
    expect(told.map(({ kind, status }) => [kind, status])).toEqual([
      ['incident.opened', 'sent'],
      ['incident.resolved', 'sent'],
    ]);
  });

  test('several causes of one consumer count together; each is a webhook of its own', async () => {
    const { account } = await incidents.account([mail?.() ?? {}, webhookTo(receivers.hook, '/hook')]);
    for (const cause of ['500 one', '500 two']) {
      const before = receivers.mail.messages.length;
      await incidents.open(account, { cause });
      await until('it is told', () => receivers.mail.messages.length === before + 1);
    }
    const third = await incidents.open(account, { cause: '500 three' });
    await until('each is a webhook', () => receivers.hook.deliveries.length === 3);
    expect(receivers.mail.messages).toHaveLength(2);
    await endWindow();
    await incidents.settled(third, 2);
    expect(receivers.mail.messages).toHaveLength(3);
  });

  test('NOTIFY_BURST limits the messages to a place in the window, over all accounts', async () => {
    const { mail: service } = receivers;
    const addresses = ['burst@ops.example'];
    for (let n = 0; n < 3; n += 1) {
      const { account } = await incidents.account([{ ...mail?.(), config: { addresses } }]);
      await incidents.settled(await incidents.open(account), 1);
    }
    const { account } = await incidents.account([
      { ...mail?.(), config: { addresses } },
      webhookTo(receivers.hook, '/hook'),
    ]);
    const id = await incidents.open(account);
    // The mail would be claimed by the same statement as the webhook.
    await until('the webhook is told', () => receivers.hook.deliveries.length === 1);
    expect(service.messages).toHaveLength(3);
    await endWindow();
    await incidents.settled(id, 2);
    expect(service.messages).toHaveLength(4);
  });
});
