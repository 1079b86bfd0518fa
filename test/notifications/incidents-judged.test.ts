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
  // Each state lasts until the incident has opened or is resolved, so that both happen several times in the window.
  const openNow = () =>
    stage.gateway.rows(`select from incidents where account_id = $1 and state = 'open'`, [account.id]);
  await until(
    'the first message after the window has come',
    async () => {
      fails = (await openNow()).length === 0;
      await send(account, 1);
      await sleep(60);
      return subjects().length >= 3;
    },
    200_000,
  );
  const sent = await until('they are recorded', async () => {
    const found = await stage.gateway.rows(
      'select distinct sent_at from incident_messages where account_id = $1 and sent_at is not null order by sent_at',
      [account.id],
    );
    return found.length >= 3 && found;
  });
  const times = sent.map(({ sent_at }) => sent_at.getTime());
  for (const [n, time] of times.slice(2).entries()) expect(time - (times[n] ?? 0)).toBeGreaterThanOrEqual(windowMs);
});
