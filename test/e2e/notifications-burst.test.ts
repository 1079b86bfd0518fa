import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { lastAttempt } from '../support/gateway.ts';
import { type Held, hold } from '../support/replies.ts';
import {
  accountWith,
  type Notification,
  notified,
  type Situation,
  sendEvent,
  shownByDiscord,
  shownByMail,
  shownBySlack,
} from '../support/services/notified-events.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { until } from '../support/until.ts';

// NOTIFY_BURST: a limited number of messages, then one summary of the rest.

const burst = 2;
/** Longer than it takes until a few concurrent events have failed. */
const burstMs = 12_000;

const { stage, receivers } = useReceivers({ notifyBurst: burst, notifications: { burstMs } });

/** Sends events whose last attempts are all answered at the same moment. */
async function failTogether(situation: Situation, count: number): Promise<string[]> {
  const attempts = new Map<unknown, number>();
  const lasts: Held[] = [];
  situation.consumer.replies = [
    (response, delivery) => {
      const id = delivery.headers['webhook-id'];
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      if (attempts.get(id) !== lastAttempt) return void response.writeHead(500).end();
      const held = hold();
      lasts.push(held);
      if (typeof held.reply === 'function') held.reply(response, delivery);
    },
  ];
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1)
    ids.push(await sendEvent(stage, situation, JSON.stringify({ id: randomUUID(), type: `order-${n}` })));
  await until('all last attempts wait for their answers', () => lasts.length === count);
  for (const held of lasts) held.answer(500);
  return ids;
}

async function statuses(ids: string[], count: number) {
  const events: { notifications: Notification[] }[] = await Promise.all(ids.map((id) => notified(stage, id, count)));
  const found: Record<string, string[]> = {};
  for (const { destination_type, status } of events.flatMap(({ notifications }) => notifications))
    found[destination_type] = [...(found[destination_type] ?? []), status].toSorted();
  return found;
}

test('for seven events that fail together, chats and mail get two and a summary, webhooks all seven', async () => {
  const situation = await accountWith(stage, receivers.destinations);
  const ids = await failTogether(situation, 7);
  const folded = ['sent', 'sent', ...Array(5).fill('suppressed')];
  expect(await statuses(ids, 4)).toEqual({
    webhook: Array(7).fill('sent'),
    ...{ email: folded, chat_one: folded, chat_two: folded },
  });
  // The summary is sent at the end of the window, and is not a notification of an event.
  await expect.poll(() => receivers.counts()).toEqual({ webhook: 7, email: 3, chat_one: 3, chat_two: 3 });
  const kinds = {
    mail: receivers.mail.messages.map((message) => Object.values(shownByMail(message)).join('\n')),
    slack: receivers.slack.messages.map(shownBySlack),
    discord: receivers.discord.messages.map(shownByDiscord),
  };
  for (const texts of Object.values(kinds)) {
    const summaries = texts.filter((text) => text.includes(`${stage.gateway.baseUrl}/dashboard/events?`));
    expect(summaries).toHaveLength(1);
    expect(summaries[0]).toMatch(/\b5\b/);
    expect(summaries[0]).toContain(situation.account.account_slug);
    const single = ids.filter((id) =>
      texts.some((text) => !summaries.includes(text) && text.includes(`/dashboard/events/${id}`)),
    );
    expect(single).toHaveLength(2);
  }
  const hooks = receivers.hook.deliveries.map(({ body }) => JSON.parse(body.toString()));
  expect(hooks.map(({ type }) => type)).toEqual(Array(7).fill('delivery.failed'));
  expect(hooks.map(({ data }) => data.event.id).toSorted()).toEqual(ids.toSorted());
  expect(receivers.complaints()).toEqual([]);
});

test('up to the limit there is no summary, and each account has its own limit', async () => {
  const situations = await Promise.all([1, 2].map(() => accountWith(stage, receivers.destinations.slice(2, 3))));
  const ids = (await Promise.all(situations.map((situation) => failTogether(situation, burst)))).flat();
  expect(await statuses(ids, 1)).toEqual({ chat_one: Array(4).fill('sent') });
  expect(receivers.slack.messages).toHaveLength(4);
});

test('after the window messages are sent one by one again', async () => {
  const situation = await accountWith(stage, receivers.destinations.slice(2, 3));
  const first = await failTogether(situation, burst + 1);
  expect(await statuses(first, 1)).toEqual({ chat_one: ['sent', 'sent', 'suppressed'] });
  await until('the summary is sent', () => receivers.slack.messages.length === 3);
  // The window has ended for the newest message.
  await until('the window is over', () => Date.now() > (receivers.slack.requests.at(-1)?.atMs ?? 0) + burstMs);
  const next = await failTogether(situation, 1);
  expect(await statuses(next, 1)).toEqual({ chat_one: ['sent'] });
  expect(shownBySlack(receivers.slack.messages.at(-1))).toContain(next[0]);
});
