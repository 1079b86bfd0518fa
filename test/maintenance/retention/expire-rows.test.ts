import { createHmac, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { uuidFloor } from '../../../src/database/uuid-time.ts';
import { foldStatistics } from '../../../src/events/fold-statistics.ts';
import { listEvents } from '../../../src/events/read.ts';
import { ack } from '../../../src/events/transitions/acknowledged.ts';
import { dropExpiredDays } from '../../../src/maintenance/retention/drop-expired-days.ts';
import { expireRows } from '../../../src/maintenance/retention/expire-rows.ts';
import { newSecret } from '../../support/secrets.ts';
import { eventsOf, rows } from '../../support/stored.ts';
import { began, dayMs, expectExact, inOther, log, midnight, useRetentionStage } from './stage.ts';

const stage = useRetentionStage();

const noon = (daysAgo: number) => new Date(midnight(daysAgo).getTime() + dayMs / 2);
const nothing = {
  ...{ dedup_keys: 0, rejected_events: 0, rejection_counts: 0, rejection_days: 0 },
  ...{ notification_summaries: 0, notification_bursts: 0, incident_messages: 0, bulk_jobs: 0, incidents: 0 },
  ...{ event_actions: 0, pauses: 0, rejection_checks: 0 },
};
const idsOf = async (table: string, column = 'id') =>
  (await rows(stage.database, `select ${column} as id from ${table} order by 1`)).map(({ id }) => id);

test('without expired rows nothing is deleted', async () => {
  const { database, receive, rejected } = stage;
  expect(await expireRows(database)).toEqual(nothing);
  await receive(new Date(), { dedupKey: randomUUID() });
  await rejected(new Date());
  expect(await expireRows(database)).toEqual(nothing);
  expect(await expireRows(database, { eventRetentionDays: 1 })).toEqual(nothing);
});

test('expired deduplication keys are deleted in batches, except a key that is being renewed', async () => {
  const { database, gateway, receive } = stage;
  const live = randomUUID();
  await receive(new Date(), { dedupKey: live });
  // More rows than one transaction reads.
  await database.pool.query(
    `insert into event_dedup select gen_random_uuid(), gen_random_uuid(), now() - interval '1 second' from generate_series(1, 60000)`,
  );
  const [renewed] = await idsOf('event_dedup where expires_at < now()', 'key');
  const renewing = await inOther(
    gateway,
    `update event_dedup set expires_at = now() + interval '1 day' where key = '${renewed}'`,
  );
  expect(await expireRows(database)).toEqual({ ...nothing, dedup_keys: 59_999 });
  await renewing.client.query('commit');
  await renewing.end();
  expect(await idsOf('event_dedup', 'key')).toEqual([live, renewed].sort());
  expect(await expireRows(database)).toEqual(nothing);
});

test('rejected events are deleted by the day after 30 days, with their statistics', async () => {
  const { database, rejected, delivered } = stage;
  const now = began;
  const accounts = { accountSlug: 'attacked', appKey: 'gone', provider: 'support_chat' };
  // More rows than one transaction deletes. Only 60 of an account and minute are kept.
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const { id } = await stage.gateway.admin.createAccount({});
      await Promise.all(
        Array.from({ length: 50 }, () => rejected(noon(31), { ...accounts, accountId: id, eventType: `junk-${n}` })),
      );
    }),
  );
  const healthy = await delivered(noon(31), { eventType: 'order' });
  const young = await rejected(noon(30), { eventType: 'young', appKey: 'gone' });
  await expectExact(database);

  expect(await expireRows(database, { now })).toEqual({ ...nothing, rejected_events: 600 });
  expect(await idsOf('events')).toEqual([healthy, young]);
  expect(await idsOf('event_payloads', 'event_id')).toEqual([healthy, young]);
  await expectExact(database);
  await foldStatistics(database);
  await expectExact(database);
  expect(await rows(database, `select day::text from event_values where value = 'gone'`)).toHaveLength(1);
  const listed = await listEvents(database.reader, { limit: 10, offset: 0, event_type: 'order' });
  expect(listed.map(({ id }) => id)).toEqual([healthy]);
  expect(await expireRows(database, { now })).toEqual(nothing);

  expect(await expireRows(database, { now, eventRetentionDays: 29 })).toEqual({ ...nothing, rejected_events: 1 });
  expect(await idsOf('events')).toEqual([healthy]);
  await expectExact(database);
  expect(await expireRows(database, { now, eventRetentionDays: 400 })).toEqual(nothing);
});

test('a rejected event that an operator acknowledged stays, and can be found by its values', async () => {
  const { database, rejected } = stage;
  const fields = { eventType: 'odd', accountSlug: 'odd' };
  const acknowledged = await rejected(noon(40), fields);
  await rejected(noon(40), { eventType: 'other' });
  await ack(database, acknowledged);
  expect(await expireRows(database)).toEqual({ ...nothing, rejected_events: 1 });
  const filter = { limit: 10, offset: 0, event_type: 'odd', account_slug: 'odd' };
  expect((await listEvents(database.reader, filter)).map(({ id }) => id)).toEqual([acknowledged]);
});

test('expiry of rejected events and dropping of days can run concurrently, twice each', async () => {
  const { database, rejected, delivered } = stage;
  for (let daysAgo = 31; daysAgo < 41; daysAgo++) {
    await Promise.all(Array.from({ length: 20 }, () => rejected(noon(daysAgo))));
    await delivered(noon(daysAgo));
  }
  const results = await Promise.all([
    expireRows(database),
    dropExpiredDays(database, { olderThanDays: 35, log }),
    expireRows(database),
    dropExpiredDays(database, { olderThanDays: 35, log }),
  ]);
  expect(results).toHaveLength(4);
  await dropExpiredDays(database, { olderThanDays: 35, log });
  await expireRows(database);
  expect(await idsOf(`events where state = 'rejected'`)).toEqual([]);
  await expectExact(database);
});

test('counts of rejections are deleted after a day', async () => {
  const { database, account } = stage;
  await database.pool.query(
    `insert into rejection_counts (account_id, minute, seen)
     select $1, now() - n * interval '12 hours', 1 from generate_series(0, 9) n`,
    [account.id],
  );
  expect(await expireRows(database)).toEqual({ ...nothing, rejection_counts: 8 });
  expect(await rows(database, 'select 1 from rejection_counts')).toHaveLength(2);
});

test('bulk jobs are deleted 30 days after their end, and never before it', async () => {
  const { database } = stage;
  const job = (id: string, endedDaysAgo: number | null) =>
    database.pool.query(
      `insert into bulk_jobs (id, action, event_ids, state, ordered_by, ordered_from, slice_ms, created_at, ended_at)
       values ($1, 'ack', array[$1]::uuid[], case when $2::integer is null then 'running' else 'done' end, 'ann', '::1', 1,
         now() - interval '90 days', now() - $2 * interval '1 day')`,
      [id, endedDaysAgo],
    );
  const kept = [randomUUID(), randomUUID()].sort();
  await job(kept[0] ?? '', null);
  await job(kept[1] ?? '', 29);
  await job(randomUUID(), 31);
  expect(await expireRows(database)).toEqual({ ...nothing, bulk_jobs: 1 });
  expect(await idsOf('bulk_jobs')).toEqual(kept);
});

test('what operators did is deleted with the day of its event, and a pause when it ended before the oldest day', async () => {
  const { database } = stage;
  const kept = await stage.delivered(noon(60));
  const action = (eventId: string) =>
    database.pool.query(
      `insert into event_actions (event_id, generation, at, actor, action, reason) values ($1, 0, now(), 'ann', 'ack', 'booked')`,
      [eventId],
    );
  await action(kept);
  await action(uuidFloor(noon(90)));
  const pause = (reason: string, endedDaysAgo: number | null) =>
    database.pool.query(
      `insert into pauses (account_id, since, reason, paused_by, ended_at, ended_by)
       values (gen_random_uuid(), now() - interval '100 days', $1, 'ann', now() - $2 * interval '1 day', 'ann')`,
      [reason, endedDaysAgo],
    );
  await pause('over', 90);
  await pause('of an event that is there', 10);
  await pause('in force', null);
  expect(await expireRows(database)).toEqual({ ...nothing, event_actions: 1, pauses: 1 });
  expect(await idsOf('event_actions', 'event_id')).toEqual([kept]);
  expect(await idsOf('pauses', 'reason')).toEqual(['in force', 'of an event that is there']);
});

test('what checks of rejected webhooks have found is deleted with the rejected webhooks', async () => {
  const { database } = stage;
  const [kept, gone] = [uuidFloor(noon(29)), uuidFloor(noon(31))];
  await database.pool.query(
    `insert into rejection_checks (rejected_event_id, event_id, made)
     select t.id, gen_random_uuid(), true from unnest($1::uuid[]) as t (id)`,
    [[kept, gone]],
  );
  expect(await expireRows(database)).toEqual({ ...nothing, rejection_checks: 1 });
  expect(await idsOf('rejection_checks', 'rejected_event_id')).toEqual([kept]);
});

test('a check of an acknowledged webhook stays known after its month, so that a second check makes no second event', async () => {
  const { admin, send } = stage.gateway;
  const [secret, body] = [newSecret(), '{"without":"an id"}'];
  const account = await admin.createAccount({
    ...{ provider: 'hmac', provider_config: { header: 'X-Signature' } },
    ...{ signing_secret_current: newSecret(), skip_signature_verification: false },
  });
  await send(account, body, { 'X-Signature': createHmac('sha256', secret).update(body).digest('hex') });
  const [event] = await eventsOf(stage.database, account.id);
  await admin.request('PATCH', `/admin/accounts/${account.id}`, { signing_secret_current: secret });
  const check = async () => (await admin.post(`/admin/events/rejected/${event?.id}/check`)).body;
  const { result, event_id } = await check();
  expect(result).toBe('accepted');
  await admin.post(`/admin/events/${event?.id}/ack`);
  await expireRows(stage.database, { now: new Date(Date.now() + 32 * dayMs) });
  expect(await check()).toMatchObject({ result: 'already_accepted', event_id });
});

test('summaries are deleted a month after their end or with their events, bursts with their destinations', async () => {
  const { database, account } = stage;
  const summary = async (status: string, endedDaysAgo: number, receivedDaysAgo = endedDaysAgo) => {
    const id = randomUUID();
    await database.pool.query(
      `insert into notification_summaries (id, destination_id, account_id, destination_type, config, provider, account_slug, app_key, events,
         first_event_ids, first_received_at, last_received_at, first_failed_at, last_failed_at, status, due_at, sent_at)
       select $1, $1, $1, 'email', '', '', '', '', 1, array[]::uuid[], r, r, e, e, $2, case when $2 = 'pending' then e end, case when $2 = 'sent' then e end
       from (values (now() - $3 * interval '1 day', now() - $4 * interval '1 day')) as t (e, r)`,
      [id, status, endedDaysAgo, receivedDaysAgo],
    );
    return id;
  };
  await stage.delivered(noon(60));
  const kept = [await summary('sent', 29), await summary('failed', 29), await summary('pending', 40)];
  for (const ended of ['sent', 'failed']) {
    await summary(ended, 31);
    await summary(ended, 1, 90);
  }
  const made = await stage.gateway.admin.post(`/admin/accounts/${account.id}/destinations`, {
    ...{ destination_type: 'webhook', name: 'd', config: { url: 'http://127.0.0.1:9/' } },
  });
  expect(made.status).toBe(201);
  const recent = randomUUID();
  await database.pool.query(
    `insert into notification_bursts (destination_id, told_at) values
       ($1, array[now() - interval '2 days']), ($2, array[now() - interval '1 hour']), (gen_random_uuid(), array[now() - interval '2 days']), (gen_random_uuid(), '{}')`,
    [made.body.id, recent],
  );
  expect(await expireRows(database)).toEqual({ ...nothing, notification_summaries: 4, notification_bursts: 2 });
  expect(await idsOf('notification_summaries')).toEqual(kept.sort());
  expect(await idsOf('notification_bursts', 'destination_id')).toEqual([made.body.id, recent].sort());
});

test('incidents are deleted 90 days after their end, and open ones are kept', async () => {
  const { database } = stage;
  const incident = async (state: string, endedDaysAgo: number | null) => {
    const id = randomUUID();
    await database.pool.query(
      `insert into incidents (id, kind, state, account_id, cause, first_seen_at, last_seen_at, resolved_at)
       values ($1, 'delivery', $2, $1, '500', now() - interval '200 days', now() - interval '200 days', now() - $3 * interval '1 day')`,
      [id, state, endedDaysAgo],
    );
    return id;
  };
  const kept = [await incident('open', null), await incident('acknowledged', null), await incident('resolved', 89)];
  await incident('resolved', 91);
  expect(await expireRows(database)).toEqual({ ...nothing, incidents: 1 });
  expect(await idsOf('incidents')).toEqual(kept.sort());
});
