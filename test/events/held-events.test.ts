import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { everything, recordEndOfPause, recordPause } from '../../src/accounts/pause-records.ts';
import { lanes } from '../../src/events/lanes.ts';
import { exhaustDisabledEvents } from '../../src/events/transitions/exhausted.ts';
import { letDueWait, waitInQueue } from '../../src/events/transitions/queued-to-wait.ts';
import { replay } from '../../src/events/transitions/replayed.ts';
import { useDatabase } from '../support/use-database.ts';
import { fillEvents } from './fill-events.ts';

// Events that are due, and that wait for the end of a pause or for their account.

const database = useDatabase();
const sql = (text: string, values: unknown[] = []) =>
  database.query<Record<string, unknown>>({ name: '', text }, values);
const dayMs = 86_400_000;
const noNotifications = () => Promise.resolve();

/** An account whose settings were changed eight days ago, with an event that is due since then and has had one attempt. */
async function waiting(account: { enabled: boolean; paused: boolean }) {
  const accountId = randomUUID();
  await sql(
    `insert into accounts (id, provider, account_slug, app_key, enabled, paused_since, created_at, updated_at)
     values ($1, 'generic', $2, 'shop', $3, case when $4 then now() - interval '8 days' end, now(), now() - interval '8 days')`,
    [accountId, `shop-${accountId}`, account.enabled, account.paused],
  );
  const [id = ''] = await fillEvents(database, [
    {
      ...{
        receivedAt: new Date(),
        accountId,
        provider: 'generic',
        accountSlug: 'shop',
        appKey: 'shop',
        eventType: null,
      },
      ...{ externalId: 'order', status: 'enqueued', deliveryStatus: 'pending', attempts: 1, deliveredAt: null },
      nextAttemptAt: new Date(Date.now() - 8 * dayMs),
    },
  ]);
  await sql(
    `insert into event_queue (event_id, account_id, generation, lane, lane_since)
     select id, account_id, generation, ${lanes.pendingStart}, now() - interval '8 days' from events where id = $1`,
    [id],
  );
  return { id, accountId };
}

test('an event whose workflow runs is left to it, and one without a workflow to an api', async () => {
  const [running, alone] = [
    await waiting({ enabled: true, paused: true }),
    await waiting({ enabled: true, paused: true }),
  ];
  const started = 'update events set started_generation = case when id = $1 then generation else -1 end';
  await sql(started, [running.id]);
  await letDueWait(database, { lastAttempt: 10, limit: 500 });
  const direct = await sql('select event_id, direct from event_queue where event_id = any($1)', [
    [running.id, alone.id],
  ]);
  expect(direct).toEqual(
    expect.arrayContaining([
      { event_id: running.id, direct: false },
      { event_id: alone.id, direct: true },
    ]),
  );
});

test('an event that the sweep has queued is attempted by an api once its workflow has left it', async () => {
  const { id } = await waiting({ enabled: true, paused: true });
  await sql('update events set started_generation = generation where id = $1', [id]);
  await waitInQueue(database, { eventId: id, generation: 0, waitsFor: 'paused', lastAttempt: 10 });
  expect(await sql('select direct from event_queue where event_id = $1', [id])).toEqual([{ direct: true }]);
});

test('events of a disabled account end after seven days, but not during a pause of their consumer', async () => {
  const { id, accountId } = await waiting({ enabled: false, paused: false });
  await sql(
    `insert into consumers (id, account_id, name, created_at, updated_at, paused_since) values ($1, $1, 'default', now(), now(), now())`,
    [accountId],
  );
  await exhaustDisabledEvents(database, 500, noNotifications);
  expect(await sql('select delivery_status from events where id = $1', [id])).toEqual([{ delivery_status: 'pending' }]);
});

test('events of a disabled account end after seven days, but not during its pause', async () => {
  const [disabled, paused] = [
    await waiting({ enabled: false, paused: false }),
    await waiting({ enabled: false, paused: true }),
  ];
  expect(await exhaustDisabledEvents(database, 500, noNotifications)).toMatchObject({ exhausted: 1 });
  const states = await sql('select id, delivery_status from events where id = any($1)', [[disabled.id, paused.id]]);
  expect(states).toEqual(
    expect.arrayContaining([
      { id: disabled.id, delivery_status: 'failed' },
      { id: paused.id, delivery_status: 'pending' },
    ]),
  );
});

test.each(['all deliveries', 'the account', 'the consumer'] as const)(
  'the days of a disabled account begin again after a pause of %s',
  async (what) => {
    const { id, accountId } = await waiting({ enabled: false, paused: false });
    const owner = {
      'all deliveries': everything,
      'the account': { accountId, consumerId: null },
      'the consumer': { accountId, consumerId: accountId },
    }[what];
    const since = new Date(Date.now() - 8 * dayMs).toISOString();
    await recordPause(database, owner, { since, reason: null }, null);
    await recordEndOfPause(database, owner, 'operator');
    const exhausted = async () => {
      await exhaustDisabledEvents(database, 500, noNotifications);
      const [event] = await sql('select delivery_status from events where id = $1', [id]);
      return event?.delivery_status === 'failed';
    };
    expect(await exhausted()).toBe(false);
    await sql(`update pauses set ended_at = now() - interval '7 days'`);
    expect(await exhausted()).toBe(true);
  },
);

test('the days of a disabled account begin again with a replay', async () => {
  const { id } = await waiting({ enabled: false, paused: false });
  expect(await replay(database, id)).toMatchObject({ ok: true });
  expect(await exhaustDisabledEvents(database, 500, noNotifications)).toMatchObject({ exhausted: 0 });
});
