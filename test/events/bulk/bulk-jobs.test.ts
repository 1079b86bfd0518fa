import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { consumerForTest } from '../../support/consumer.ts';
import { withClient } from '../../support/one-connection.ts';
import { until } from '../../support/until.ts';
import { useForEach } from '../../support/use.ts';
import { useGatewayPerTest } from '../../support/use-gateway.ts';
import {
  bulkWorkerOf,
  ended,
  entriesOfJob,
  events,
  generations,
  jobLimitMs,
  ordered,
  orderPath,
  readJob,
} from './support.ts';

const gateway = useGatewayPerTest({ worker: false });
const account = useForEach(() => gateway.admin.createAccount({ app_key: 'app' }));

const failed = { delivery_status: 'failed' };
const stateOf = async (id: string | undefined) =>
  (
    await gateway.rows(
      'select status, delivery_status, generation, manual_attempts, last_error from events where id = $1',
      [id],
    )
  )[0];

test('2,000 failed events are replayed once each, with progress, and delivered', async () => {
  const consumer = await consumerForTest();
  await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { delivery_url: consumer.url });
  const ids = await events(gateway, account, 2_000);
  const delivered = await events(gateway, account, 20, { status: 'enqueued', deliveryStatus: 'delivered' });
  const dry = await gateway.admin.post(orderPath, { action: 'replay', filter: failed, dry_run: true });
  expect([dry.status, dry.body]).toEqual([200, { dry_run: true, matched: 2_000, exact: true, left_out: 0 }]);
  expect(await generations(gateway)).toEqual({ 0: 2_020 });

  const job = await ordered(gateway, { action: 'replay', filter: failed });
  expect(job).toMatchObject({
    ...{ action: 'replay', filter: failed, ids: null, state: 'running', total: 2_000, matched: 0, done: 0 },
    ...{ skipped: {}, failed: 0, ordered_by: 'tester', started_at: null, ended_at: null },
  });
  await gateway.startWorker();
  const progress = new Set<number>();
  const done = await until(
    'the job has ended',
    async () => {
      const now = await readJob(gateway, job.id);
      progress.add(now.matched);
      return now.ended_at === null ? null : now;
    },
    jobLimitMs,
  );
  expect(done).toMatchObject({ state: 'done', reason: null, total: 2_000, matched: 2_000, done: 2_000, skipped: {} });
  for (const matched of progress) expect(matched % 200).toBe(0);
  expect(progress.size).toBeGreaterThan(2);
  expect(await generations(gateway)).toEqual({ 0: delivered.length, 1: ids.length });
  await until('all are delivered', () => consumer.deliveries.length >= 2_000, jobLimitMs);
  expect(new Set(consumer.deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(2_000);
  expect(consumer.deliveries.length).toBe(2_000);

  const audited = await entriesOfJob(gateway, job.id);
  expect(audited).toMatchObject([
    {
      actor: 'tester',
      action: 'event.bulk',
      details: { status: 202, action: 'replay', filter: failed, total: 2_000 },
    },
    {
      ...{ actor: 'tester', action: 'event.bulk_end', ip_address: '127.0.0.1' },
      details: {
        state: 'done',
        reason: null,
        action: 'replay',
        total: 2_000,
        matched: 2_000,
        done: 2_000,
        failed: 0,
      },
    },
  ]);
  expect((await gateway.admin.request('GET', '/admin/audit-logs/verify')).body.ok).toBe(true);
});

test('a job is stopped also while a batch holds it for longer than a statement waits for a lock', async () => {
  await events(gateway, account, 10);
  const job = await ordered(gateway, { action: 'dead', filter: failed });
  await withClient(gateway.databaseUrl, async (batch) => {
    await batch.query('begin');
    await batch.query('select from bulk_jobs where id = $1 for update', [job.id]);
    const stop = gateway.admin.post(`${orderPath}/${job.id}/stop`);
    await sleep(6_000);
    await batch.query('rollback');
    expect(await stop).toMatchObject({ status: 202, body: { state: 'stopping' } });
  });
});

test('a stopped job ends after its batch and leaves the other events', async () => {
  // Their account has no address, so that each fails again at once.
  await events(gateway, account, 2_000);
  // At this pace it is far from its end when it is stopped, however long that takes.
  const job = await ordered(gateway, { action: 'replay', filter: failed, per_second: 20 });
  await gateway.startWorker();
  await until('some are done', async () => (await readJob(gateway, job.id)).done >= 100, jobLimitMs);
  const stop = await gateway.admin.post(`${orderPath}/${job.id}/stop`);
  expect([stop.status, stop.body.state]).toEqual([202, 'stopping']);
  const stopped = await ended(gateway, job.id);
  expect(stopped).toMatchObject({ state: 'stopped', reason: 'operator', matched: stopped.done });
  expect(stopped.done).toBeGreaterThanOrEqual(100);
  expect(stopped.done).toBeLessThan(2_000);
  expect(await generations(gateway)).toEqual({ 0: 2_000 - stopped.done, 1: stopped.done });
  expect((await entriesOfJob(gateway, job.id)).map(({ action }) => action)).toEqual([
    ...['event.bulk', 'event.bulk_stop', 'event.bulk_end'],
  ]);
  const again = await gateway.admin.post(`${orderPath}/${job.id}/stop`);
  expect([again.status, again.body.code]).toEqual([409, 'conflict']);
});

test('two workers replay each event once', async () => {
  await events(gateway, account, 1_000);
  await gateway.admin.post('/admin/delivery/pause');
  await Promise.all([gateway.startWorker(), gateway.startWorker(), gateway.startWorker()]);
  const job = await ordered(gateway, { action: 'replay', filter: { app_key: 'app' } });
  expect(await ended(gateway, job.id)).toMatchObject({ state: 'done', done: 1_000, matched: 1_000 });
  expect(await generations(gateway)).toEqual({ 1: 1_000 });
  const entries = await entriesOfJob(gateway, job.id);
  expect(entries.filter(({ action }) => action === 'event.bulk_end')).toHaveLength(1);
});

describe('each action changes events as the operation on one event does', () => {
  test.each([
    ['replay', {}, { status: 'received', delivery_status: 'pending', generation: 1 }],
    ['retry', {}, { status: 'failed', delivery_status: 'failed', generation: 0, manual_attempts: 1 }],
    ['ack', {}, { status: 'processed', delivery_status: 'failed', generation: 0 }],
    ['dead', { error: 'no use' }, { status: 'dead', delivery_status: 'failed', last_error: 'no use' }],
  ] as const)('%s', async (action, more, expected) => {
    const [first, second, other] = await events(gateway, account, 3);
    const single = { replay: 'replay', retry: '', ack: 'ack', dead: 'fail' }[action];
    const path = action === 'retry' ? `/admin/delivery/retry/${other}` : `/admin/events/${other}/${single}`;
    await gateway.admin.post(path, action === 'dead' ? { dead: true, ...more } : undefined);
    const job = await ordered(gateway, { action, ids: [second, first], ...more });
    expect(job).toMatchObject({ filter: null, ids: 2, total: 2 });
    // Without a gateway's worker, so that nothing is attempted before the states are compared.
    const worker = bulkWorkerOf(gateway);
    expect(await worker.round()).toBe('more');
    expect(await worker.round()).toBe('idle');
    expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 2, skipped: {}, failed: 0 });
    for (const id of [first, second]) {
      expect(await stateOf(id)).toMatchObject(expected);
      expect(await stateOf(id)).toEqual(await stateOf(other));
    }
    const commands = await gateway.rows('select kind, generation, number, dead from event_commands');
    expect(new Set(commands.map((command) => JSON.stringify(command))).size).toBeLessThanOrEqual(1);
  });
});
