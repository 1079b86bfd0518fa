import { expect, test } from 'vitest';
import { shownByMail } from '../support/services/notified-events.ts';
import { webhookTo } from '../support/services/receivers.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { defaultLimitMs, until } from '../support/until.ts';
import { useForAll } from '../support/use.ts';
import { incidentKinds, incidentsOf, summarised } from './incident-support.ts';

// Reminders of incidents that stay open (docs/notifications.md).

// They wait for services, retries and gaps.

/** Longer than a test needs on a slow machine between the opening of an incident and what is done before its reminder. */
const reminderMs = 30_000;
const { stage, receivers } = useReceivers({ notifications: { gapMs: 0, burstMs: 1_000, reminderMs } });
const incidents = useForAll(() => incidentsOf(stage.gateway));

const reminders = async (id: string) => (await incidents.messages(id)).filter(({ reminder }) => reminder);
/** What the webhook was told of an incident, oldest first. */
const hookOf = (id: string) =>
  receivers.hook.deliveries
    .map(({ body }) => JSON.parse(body.toString()))
    .filter(({ data }) => data.incident.id === id);
const remindedOf = (id: string, count: number) =>
  until(
    `${count} reminders are sent`,
    async () => {
      const sent = (await reminders(id)).filter(({ status }) => status === 'sent');
      return sent.length >= count && sent;
    },
    defaultLimitMs + 2 * reminderMs,
  );
/** Makes reminders of these incidents due now, as far as they have any. */
async function due(...ids: string[]): Promise<void> {
  const earlier = `- make_interval(secs => ${reminderMs / 1000})`;
  await stage.gateway.database.transaction(async (sql) => {
    for (const text of [
      `update incidents set first_seen_at = first_seen_at ${earlier}, reopened_at = reopened_at ${earlier} where id = any($1)`,
      `update incident_messages set happened_at = happened_at ${earlier} where incident_id = any($1)`,
    ])
      await sql.query({ name: '', text }, [ids]);
  });
}

test('an open incident is told again and again, to destinations of all kinds', async () => {
  const { account } = await incidents.account(receivers.destinations);
  const id = await incidents.open(account);
  await remindedOf(id, 8);
  await incidents.resolve(id);
  const bodies = hookOf(id).slice(0, 3);
  expect(bodies).toMatchObject(
    [false, true, true].map((reminder) => ({ type: 'incident.opened', data: { reminder } })),
  );
  const times = bodies.map(({ timestamp }) => Date.parse(timestamp));
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(reminderMs);
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(reminderMs);
  expect(shownByMail(receivers.mail.messages[1]).subject).toMatch(/^Incident still open: /);
  expect(receivers.complaints()).toEqual([]);
});

test('an acknowledged or resolved incident has no reminders', async () => {
  const { account } = await incidents.account([webhookTo(receivers.hook, '/hook')]);
  const acknowledged = await incidents.open(account, { cause: '500 one' });
  const resolved = await incidents.open(account, { cause: '500 two' });
  const open = await incidents.open(account, { cause: '500 three' });
  await incidents.acknowledge(acknowledged);
  await incidents.resolve(resolved);
  await due(acknowledged, resolved, open);
  await remindedOf(open, 1);
  expect(await reminders(acknowledged)).toEqual([]);
  expect(await reminders(resolved)).toEqual([]);
  await incidents.resolve(open);
});

test('a reminder goes to destinations as they are then: new ones, but none that is disabled or asks for its end only', async () => {
  const { admin } = stage.gateway;
  const { account, ids } = await incidents.account([
    webhookTo(receivers.hook, '/disabled'),
    { ...webhookTo(receivers.hook, '/end'), kinds: ['incident.resolved'] },
    webhookTo(receivers.hook, '/other', { condition: 'consumer == "billing"' }),
  ]);
  const id = await incidents.open(account);
  await admin.request('PATCH', `/admin/accounts/${account.id}/destinations/${ids[0]}`, { enabled: false });
  await admin.post(`/admin/accounts/${account.id}/destinations`, {
    ...webhookTo(receivers.hook, '/added'),
    kinds: incidentKinds,
  });
  await due(id);
  const [first] = await remindedOf(id, 1);
  expect(first?.name).toBe('Hook /added');
  await incidents.resolve(id);
});

test('a deleted account has no reminders', async () => {
  const accounts = [
    await incidents.account([webhookTo(receivers.hook, '/gone')]),
    await incidents.account([webhookTo(receivers.hook, '/kept')]),
  ];
  const [gone = '', kept = ''] = await incidents.openOfAll(accounts.map(({ account }) => account));
  await stage.gateway.admin.request('DELETE', `/admin/accounts/${accounts[0]?.account.id}`);
  await due(gone, kept);
  await remindedOf(kept, 1);
  expect(await reminders(gone)).toEqual([]);
  await incidents.resolve(kept);
});

test('a reminder that was not sent before the incident was acknowledged or resolved is not sent', async () => {
  const { admin } = stage.gateway;
  const { account } = await incidents.account([webhookTo(receivers.hook, '/hook')]);
  const ids = [
    await incidents.open(account, { cause: '500 one' }),
    await incidents.open(account, { cause: '500 two' }),
  ];
  for (const id of ids) await incidents.settled(id, 1);
  await admin.post('/admin/delivery/pause');
  await due(...ids);
  await until('both have a reminder', async () =>
    (await Promise.all(ids.map(reminders))).every(({ length }) => length === 1),
  );
  await incidents.acknowledge(ids[0] ?? '');
  await incidents.resolve(ids[1] ?? '');
  await admin.post('/admin/delivery/resume');
  expect(summarised(await incidents.settled(ids[0] ?? '', 2))).toEqual([
    'Hook /hook opened sent 1',
    'Hook /hook opened again obsolete 0',
  ]);
  expect(summarised(await incidents.settled(ids[1] ?? '', 3))).toEqual([
    'Hook /hook opened sent 1',
    'Hook /hook opened again obsolete 0',
    'Hook /hook resolved sent 1',
  ]);
});

test('two workers remind once', async () => {
  const second = await stage.gateway.startWorker();
  const { account } = await incidents.account([webhookTo(receivers.hook, '/hook')]);
  const id = await incidents.open(account);
  await remindedOf(id, 2);
  await incidents.resolve(id);
  await second.stop();
  const times = hookOf(id)
    .map(({ timestamp }) => Date.parse(timestamp))
    .slice(0, 3);
  for (const [at, time] of times.slice(1).entries()) expect(time - (times[at] ?? 0)).toBeGreaterThanOrEqual(reminderMs);
});
