import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { TcpProxy } from '../faults/tcp-proxy.ts';
import { accountForTest } from '../support/consumer.ts';
import { migratedDatabase } from '../support/database.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import type { TestGatewayOptions } from '../support/gateway-options.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway();

const health = async (of = gateway) => (await of.admin.request('GET', '/admin/health')).body;

const wellProcesses = (of: TestGateway) =>
  until('its processes are alive', async () => (await health(of)).processes.state === 'ok');

async function another(options: TestGatewayOptions) {
  const other = await forTest(startGateway(options));
  return other;
}

test('database, Temporal and a worker are well', async () => {
  // A worker asks for its first task a moment after its start.
  const body = await until('the worker asks for tasks', async () => {
    const answer = await health();
    return answer.temporal.state === 'ok' && answer.processes.state === 'ok' && answer;
  });
  expect(body).toEqual({
    ...{ ok: true, checked_at: expect.any(String) },
    database: { state: 'ok', answer_ms: expect.any(Number), partitions_ahead_days: expect.any(Number) },
    temporal: { state: 'ok', answer_ms: expect.any(Number), workers: 1 },
    processes: { state: 'ok', workers: 1, delivering_apis: 1 },
    backups: { state: 'none', last_success_at: null, running_since: null, last_failure: null },
  });
});

test('no worker asks for tasks', async () => {
  const other = await another({ worker: false });
  expect(await health(other)).toMatchObject({
    ...{ ok: false, temporal: { state: 'no_worker', workers: 0 } },
    processes: { state: 'no_worker', workers: 0, delivering_apis: 0 },
  });
});

test('Temporal does not answer', async () => {
  const other = await another({ worker: false, temporalAddress: '127.0.0.1:1' });
  expect(await health(other)).toMatchObject({
    ...{ ok: false, temporal: { state: 'unavailable', answer_ms: null, workers: null } },
  });
});

test('an api without TEMPORAL_ADDRESS cannot know it, which is not a fault', async () => {
  const other = await another({ apiWithoutTemporal: true });
  await wellProcesses(other);
  expect(await health(other)).toMatchObject({ ok: true, temporal: { state: 'not_configured' } });
});

test('no api makes first attempts, which is not a fault', async () => {
  const other = await another({ apiDelivers: false, apiWithoutTemporal: true });
  await until('the worker is alive', async () => (await health(other)).processes.workers === 1);
  expect(await health(other)).toMatchObject({
    ok: true,
    processes: { state: 'no_delivering_api', delivering_apis: 0 },
  });
});

test('the database is slow while the way to it is, and no longer', async () => {
  const url = new URL(await migratedDatabase());
  const way = new TcpProxy(Number(url.port));
  onTestFinished(() => way.close());
  url.host = `127.0.0.1:${await way.listen()}`;
  const other = await another({ worker: false, apiWithoutTemporal: true, databaseUrl: url.href });
  way.begin({ kind: 'delay', delayMs: 150 });
  expect(await health(other)).toMatchObject({
    ok: false,
    database: { state: 'slow', answer_ms: expect.toSatisfy((ms: number) => ms > 250) },
  });
  way.end();
  expect((await health(other)).database.state).toBe('ok');
});

test('the tables of tomorrow are missing', async () => {
  const other = await another({ worker: false, apiWithoutTemporal: true });
  const days =
    await other.rows(`select c.oid::regclass::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'notifications'::regclass and c.relname > 'notifications_' || to_char(now() at time zone 'UTC', 'YYYYMMDD')`);
  for (const { name } of days) await other.rows(`drop table ${name}`);
  expect(await health(other)).toMatchObject({
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
  await wellProcesses(other);
  for (const [status, hours] of made)
    await other.rows(
      `insert into backups (id, status, trigger, workflow_id, created_at, finished_at, alive_at, error)
       values ($1, $2, 'schedule', 'a-workflow', now() - make_interval(hours => $3), case when $2 <> 'running' then now() - make_interval(hours => $3) end,
         now(), case when $2 = 'failed' then 'the disk is full' end)`,
      [randomUUID(), status, hours],
    );
  const { backups, ...rest } = await health(other);
  expect([rest.ok, backups.state]).toEqual([ok, state]);
  const has = (status: string) => made.some(([one]) => one === status);
  expect(backups.last_success_at !== null).toBe(has('completed'));
  expect(backups.running_since !== null).toBe(has('running'));
  expect(backups.last_failure).toEqual(has('failed') ? { at: expect.any(String), error: 'the disk is full' } : null);
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
