import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { shortPace } from '../incidents/support.ts';
import { shownByMail, shownBySlack } from '../support/services/notified-events.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { until } from '../support/until.ts';
import { useForAll } from '../support/use.ts';
import { incidentsOf } from './incident-support.ts';

// Messages about incidents that the gateway opens and resolves itself.

// They wait for failures to be counted and judged.

const windowMs = 12_000;
const { stage, receivers } = useReceivers({
  delaysMs: [600_000],
  incidents: shortPace,
  notifications: { gapMs: 200, burstMs: windowMs },
});
const incidents = useForAll(() => incidentsOf(stage.gateway));

async function send(account: { provider: string; account_slug: string }, count: number) {
  for (let n = 0; n < count; n += 1) {
    const { status } = await stage.gateway.send(account, JSON.stringify({ id: crypto.randomUUID(), type: 'order' }));
    expect(status).toBe(202);
  }
}

test('a consumer that fails is told of within seconds, and again when it works', async () => {
  const consumer = await stage.consumer((response) => response.writeHead(500).end('TypeError at webhooks.js:12'));
  const { account } = await incidents.account(receivers.destinations.slice(1, 3), { delivery_url: consumer.url });
  await send(account, 6);
  await until('its failure is told', () => receivers.mail.messages.length > 0 && receivers.slack.messages.length > 0);
  const { subject, text } = shownByMail(receivers.mail.messages[0]);
  expect(subject).toMatch(new RegExp(`^Incident opened: ${account.account_slug}: 500 TypeError at webhooks.js:#`));
  expect(text).toContain('/dashboard/incidents/');
  consumer.replies = [200];
  await until('its end is told', async () => {
    await send(account, 1);
    return receivers.mail.messages.length > 1 && receivers.slack.messages.length > 1;
  });
  expect(shownByMail(receivers.mail.messages[1]).subject).toMatch(/^Incident resolved: /);
  expect(shownBySlack(receivers.slack.messages[1])).toContain('Incident resolved');
  expect(receivers.complaints()).toEqual([]);
});

test('a consumer that fails and works in turn gives at most two messages in the window', async () => {
  let fails = true;
  const consumer = await stage.consumer((response) => response.writeHead(fails ? 500 : 200).end());
  const { account } = await incidents.account([receivers.destinations[1]], { delivery_url: consumer.url });
  // A message of the test before may come late.
  const subjects = () =>
    receivers.mail.messages
      .map((message) => shownByMail(message).subject)
      .filter((subject) => subject.includes(account.account_slug));
  const beganMs = Date.now();
  let firstMs = 0;
  while (Date.now() - beganMs < windowMs) {
    // Long enough in each state that the incident opens and is resolved several times.
    fails = Math.floor((Date.now() - beganMs) / 2_500) % 2 === 0;
    await send(account, 1);
    const told = subjects();
    if (firstMs === 0 && told.length > 0) firstMs = Date.now();
    if (firstMs > 0 && Date.now() - firstMs < windowMs) expect(told).toSatisfy(() => told.length <= 2);
    await sleep(60);
  }
  expect(subjects()).not.toEqual([]);
});
