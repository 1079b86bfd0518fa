import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { accountForTest } from '../support/consumer.ts';
import { migratedDatabase } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGatewayOptions } from '../support/gateway-options.ts';
import { proxyTo } from '../support/proxy-to.ts';
import { forTest } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway();

const health = async (of = gateway) => (await of.admin.request('GET', '/admin/health')).body;

/** Polled for the whole of what is wanted: on a busy machine, a part may not answer in time once. */
const expectHealth = (of = gateway) => expect.poll(() => health(of));

async function another(options: TestGatewayOptions) {
  const other = await forTest(startGateway(options));
  return other;
}

test('database, Temporal and a worker are well', async () => {
  // A worker asks for its first task a moment after its start.
  await expectHealth().toEqual({
    ...{ ok: true, checked_at: expect.any(String) },
    database: { state: 'ok', answer_ms: expect.any(Number), partitions_ahead_days: expect.any(Number) },
    temporal: { state: 'ok', answer_ms: expect.any(Number), workers: 1 },
    processes: { state: 'ok', workers: 1, delivering_apis: 1 },
    backups: { state: 'none', last_success_at: null, running_since: null, last_failure: null },
  });
});

test('no worker asks for tasks', async () => {
  const other = await another({ worker: false });
  await expectHealth(other).toMatchObject({
    ...{ ok: false, temporal: { state: 'no_worker', workers: 0 } },
    processes: { state: 'no_worker', workers: 0, delivering_apis: 0 },
  });
});

test('Temporal does not answer', async () => {
  const other = await another({ worker: false, temporalAddress: '127.0.0.1:1' });
  await expectHealth(other).toMatchObject({
    ...{ ok: false, temporal: { state: 'unavailable', answer_ms: null, workers: null } },
  });
});

test('an api without TEMPORAL_ADDRESS cannot know it, which is not a fault', async () => {
  const other = await another({ apiWithoutTemporal: true });
  await expectHealth(other).toMatchObject({ ok: true, temporal: { state: 'not_configured' } });
});

test('no api makes first attempts, which is not a fault', async () => {
  const other = await another({ apiDelivers: false, apiWithoutTemporal: true });
  await expectHealth(other).toMatchObject({
    ok: true,
    processes: { state: 'no_delivering_api', workers: 1, delivering_apis: 0 },
  });
});

test('the database is slow while the way to it is, and no longer', async () => {
  const { proxy, url } = await proxyTo(await migratedDatabase());
  const other = await another({ worker: false, apiWithoutTemporal: true, databaseUrl: url });
  proxy.begin({ kind: 'delay', delayMs: 150 });
  await expectHealth(other).toMatchObject({
    ok: false,
    database: { state: 'slow', answer_ms: expect.toSatisfy((ms: number) => ms > 250) },
  });
  proxy.end();
  await expectHealth(other).toMatchObject({ database: { state: 'ok' } });
});

test('the tables of tomorrow are missing', async () => {
  const other = await another({ worker: false, apiWithoutTemporal: true });
  const days =
    await other.rows(`select c.oid::regclass::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'notifications'::regclass and c.relname > 'notifications_' || to_char(now() at time zone 'UTC', 'YYYYMMDD')`);
  for (const { name } of days) await other.rows(`drop table ${name}`);
  await expectHealth(other).toMatchObject({
    ...{ ok: false, database: { state: 'partitions_missing', partitions_ahead_days: 0 } },
  });
});

test.each<[name: string, made: [status: string, hoursAgo: number][], ok: boolean, state: string]>([
  ['a recent success', [['completed', 3]], true, 'ok'],
  [
    'a success after a failure',
    [
      ['failed', 20],
      ['completed', 3],
    ],
    true,
    'ok',
  ],
  [
    'a failure after a success',
    [
      ['completed', 20],
      ['failed', 3],
    ],
    false,
    'failed',
  ],
  ['a failure without a success', [['failed', 3]], false, 'failed'],
  ['a success of two days ago', [['completed', 48]], false, 'late'],
  [
    'one that is running',
    [
      ['completed', 3],
      ['running', 0],
    ],
    true,
    'ok',
  ],
])('backups: %s', async (_name, made, ok, state) => {
  const other = await another({ apiWithoutTemporal: true });
  await expectHealth(other).toMatchObject({ processes: { state: 'ok' } });
  for (const [status, hours] of made)
    await other.rows(
      `insert into backups (id, status, trigger, workflow_id, created_at, finished_at, alive_at, error)
       values ($1, $2, 'schedule', 'a-workflow', now() - make_interval(hours => $3), case when $2 <> 'running' then now() - make_interval(hours => $3) end,
         now(), case when $2 = 'failed' then 'the disk is full' end)`,
      [randomUUID(), status, hours],
    );
  const timeOf = (wanted: string) => (made.some(([status]) => status === wanted) ? expect.any(String) : null);
  const failedAt = timeOf('failed');
  await expectHealth(other).toMatchObject({
    ok,
    backups: {
      ...{ state, last_success_at: timeOf('completed'), running_since: timeOf('running') },
      last_failure: failedAt && { at: failedAt, error: 'the disk is full' },
    },
  });
});

test('the statistics have the oldest pending event and the delay of first attempts', async () => {
  const admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
  const stats = async () => (await admin.delivery.stats.get()).data;
  expect(await stats()).toMatchObject({
    ...{ oldest_pending_at: null, first_attempt_delay_ms: { events: 0, p50: null, p95: null, p99: null } },
  });
  const { account } = await accountForTest(gateway.admin, 200);
  const delivered = (await gateway.send(account, '{"id":1}')).body.id;
  await gateway.admin.eventually(delivered, (event) => event.delivery_status === 'delivered');
  await gateway.admin.post('/admin/delivery/pause');
  const { id } = (await gateway.send(account, '{"id":2}')).body;
  const { received_at } = await gateway.admin.event(id);
  const number = expect.toSatisfy((value: unknown) => typeof value === 'number' && value >= 0);
  expect(await stats()).toMatchObject({
    oldest_pending_at: received_at,
    first_attempt_delay_ms: { events: 1, p50: number, p95: number, p99: number },
  });
  await gateway.admin.post('/admin/delivery/resume');
});
