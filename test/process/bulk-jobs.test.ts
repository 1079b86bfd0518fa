import { expect, test } from 'vitest';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { fillEvents } from '../events/fill-events.ts';
import { accountForTest } from '../support/consumer.ts';
import { eventsOf, expectDeliveries } from '../support/deliveries-made.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { withClient } from '../support/one-connection.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

gatewaysEndWithTheirTest();
const many = 1_000;

/** An api without workers, and failed events of an account whose consumer takes everything. */
async function withFailedEvents(count: number) {
  const roles = await migratedRoles({});
  const api = await roles.apiHere();
  const { consumer, account } = await accountForTest(api.admin);
  const database = await forTest(openDatabase({ url: roles.databaseUrl, log: createLog('silent') }));
  const ids = await fillEvents(
    database,
    Array.from({ length: count }, (_, n) => ({
      receivedAt: new Date(Date.now() - 1_000 - n),
      ...{ accountId: account.id, provider: 'generic', accountSlug: account.account_slug, appKey: 'tests' },
      ...{ eventType: null, externalId: `x-${n}`, status: 'failed' as const, deliveryStatus: 'failed' as const },
      ...{ attempts: 10, deliveredAt: null, nextAttemptAt: null },
    })),
  );
  await database.pool.query(
    `insert into event_payloads (event_id, headers, content_type, body) select id, '[]', 'application/json', '{}' from unnest($1::uuid[]) as t (id)`,
    [ids],
  );
  return { roles, api, consumer, ids };
}

test('workers are killed in the middle of a bulk job: each event is replayed once, and delivered once', async () => {
  const { roles, api, consumer, ids } = await withFailedEvents(many);
  // Paused during the job, because an attempt that is in flight when its worker is killed is made again.
  await api.admin.post('/admin/delivery/pause');
  const order = { action: 'replay', filter: { delivery_status: 'failed' } };
  const { body: job } = await api.admin.post('/admin/events/bulk', order);
  const progress = async () => (await api.admin.request('GET', `/admin/events/bulk/${job.id}`)).body;
  await withClient(roles.databaseUrl, async (holder) => {
    // The newest event comes last, so that the job does not end between two looks.
    await holder.query('begin');
    await holder.query('select from events where id = $1 for update', [ids[0]]);
    for (const atLeast of [200, 600]) {
      const worker = await roles.startWorker();
      await until(`${atLeast} events are replayed`, async () => (await progress()).done >= atLeast);
      worker.signal('SIGKILL');
      await worker.exited;
      // PostgreSQL may still commit what the worker has sent.
      await until('what is recorded as done is what was replayed', async () => {
        const [row] = await roles.query<{ n: number }>(
          'select count(*)::integer as n from events where generation = 1',
        );
        return row?.n === (await progress()).done;
      });
      expect((await progress()).state).toBe('running');
    }
    await holder.query('rollback');
  });
  const last = await roles.workerHere();
  await until('the job has ended', async () => (await progress()).ended_at !== null);
  expect(await progress()).toMatchObject({ state: 'done', total: many, matched: many, done: many, failed: 0 });
  expect(await roles.query('select distinct generation from events')).toEqual([{ generation: 1 }]);
  await api.admin.post('/admin/delivery/resume');
  await until('all are delivered', async () => {
    const [row] = await roles.query<{ n: number }>(
      `select count(*)::integer as n from events where delivery_status = 'delivered'`,
    );
    return row?.n === many;
  });
  await expectDeliveries(eventsOf(consumer.deliveries), ids, [api, last]);
  const ends = await roles.query(
    `select details->>'state' as state from audit_logs where action = 'event.bulk_end' and details->>'job_id' = $1`,
    [job.id],
  );
  expect(ends).toEqual([{ state: 'done' }]);
});

test('workers are killed in the middle of a job with a pace: others go on, and no second has more events than ordered', async () => {
  const [perSecond, count] = [10, 60];
  const { roles, api, consumer, ids } = await withFailedEvents(count);
  const { body: job } = await api.admin.post('/admin/events/bulk', {
    ...{ action: 'replay', filter: { delivery_status: 'failed' }, per_second: perSecond },
  });
  const progress = async () => (await api.admin.request('GET', `/admin/events/bulk/${job.id}`)).body;
  const first = await roles.startWorker();
  await until('a batch is done', async () => (await progress()).done >= perSecond);
  first.signal('SIGKILL');
  await first.exited;
  const [second, last] = await Promise.all([roles.startWorker(), roles.workerHere()]);
  await until('three batches are done', async () => (await progress()).done >= 3 * perSecond);
  second.signal('SIGKILL');
  await second.exited;
  await until('the job has ended', async () => (await progress()).ended_at !== null);
  await until('all are delivered', async () => (await progress()).results.delivered === count);
  expect(await progress()).toMatchObject({
    ...{ state: 'done', done: count, failed: 0, per_second: perSecond, skipped: {} },
    results: { delivered: count, failing: 0, exhausted: 0, waiting: 0, exact: true },
  });
  await expectDeliveries(eventsOf(consumer.deliveries), ids, [api, first, second, last]);
  // By the clock of the database: when each event was replayed.
  const replays = await roles.query<{ at: number }>(
    'select (extract(epoch from generation_at) * 1000)::float8 as at from events order by 1',
  );
  for (const [n, { at }] of replays.entries()) {
    const later = replays[n + perSecond];
    if (later) expect(later.at - at).toBeGreaterThanOrEqual(1_000);
  }
});
