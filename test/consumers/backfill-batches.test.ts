import { expect, test } from 'vitest';
import { paceOf } from '../../src/events/bulk/pace.ts';
import { bulkWorkerOf, ended, orderPath, readJob, workOff } from '../events/bulk/support.ts';
import type { TestGateway } from '../support/gateway.ts';
import { withClient } from '../support/one-connection.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';
import { pastOf } from './backfill-support.ts';

const gateway = useGatewayPerTest({ worker: false });
const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));
const dueNow = () => gateway.rows('update bulk_jobs set next_batch_at = now()');

/** A worker whose transactions call `before` before their nth statement, which is 1 for the first. */
function workerThat(before: (statement: number) => Promise<void>) {
  const { database } = gateway;
  const interrupted: TestGateway['database'] = {
    ...database,
    transaction: (work) =>
      database.transaction(async (sql) => {
        let statement = 0;
        return work({
          async query(...asked) {
            statement += 1;
            await before(statement);
            return sql.query(...asked);
          },
        });
      }),
  };
  return bulkWorkerOf({ ...gateway, database: interrupted });
}

test('no second has more events than the order says, whichever batches are full', () => {
  for (let perSecond = 1; perSecond <= 1_000; perSecond++) {
    const { events, everyS } = paceOf(perSecond);
    expect(events).toBeGreaterThanOrEqual(1);
    expect(events).toBeLessThanOrEqual(200);
    expect(events * Math.round(1 / everyS)).toBeLessThanOrEqual(perSecond);
  }
});

test('the next batch is due only after the pause, also for another worker', async () => {
  const { consumers, send, ordered, events } = await pastOf(gateway);
  await send(...numbered(7));
  const late = await consumers.made('late');
  await ordered('late', { per_second: 3 });
  expect(await bulkWorkerOf(gateway).round()).toBe('more');
  expect(await events(late)).toHaveLength(3);
  const [job] = await gateway.rows(
    `select extract(epoch from paced_batch_at - (select max(backfilled_at) from events))::float8 as "afterS" from bulk_jobs`,
  );
  expect(job?.afterS).toBeGreaterThanOrEqual(1);
  await workOff(gateway);
  const made = await events(late);
  expect(made).toHaveLength(7);
  const times = made.map(({ backfilled_at: at }) => at.getTime()).toSorted((a, b) => a - b);
  for (const [n, at] of times.entries())
    if (times[n + 3] !== undefined) expect(Number(times[n + 3]) - at).toBeGreaterThanOrEqual(1_000);
});

test('no more than 300 events of the consumer wait in the queue', async () => {
  const { consumers, send, ordered, events } = await pastOf(gateway);
  await send(...numbered(320));
  const late = await consumers.made('late');
  const job = await ordered('late', { per_second: 1_000 });
  const worker = bulkWorkerOf(gateway);
  for (let rounds = 0; rounds < 4; rounds++) {
    await dueNow();
    await worker.round();
  }
  expect(await events(late)).toHaveLength(300);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'running', done: 300 });
  await gateway.rows('delete from event_queue where account_id = $1', [late.id]);
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 320 });
});

test('a worker that loses its connection before any statement of a batch makes each event once', async () => {
  const { consumers, send, ordered, webhooksOf } = await pastOf(gateway);
  const ids = await send(...numbered(3));
  const late = await consumers.made('late');
  const job = await ordered('late', { per_second: 2 });
  // The statements of a batch: lock the job, lock the consumer, insert, save the position.
  for (let lost = 1; lost <= 4; lost++) {
    await gateway.rows('update bulk_jobs set next_batch_at = now(), lease_until = null');
    const worker = workerThat(async (statement) => {
      if (statement !== lost) return;
      await withClient(gateway.databaseUrl, (client) =>
        client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
        ),
      );
    });
    await expect(worker.round()).rejects.toThrow();
    expect(await webhooksOf(late)).toEqual([]);
    expect(await gateway.rows('select 1 from event_queue where account_id = $1', [late.id])).toEqual([]);
  }
  await gateway.rows('update bulk_jobs set next_batch_at = now(), lease_until = null');
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 3 });
  expect(await webhooksOf(late)).toEqual(ids);
});

test('a worker whose lease was lost makes no event', async () => {
  const { consumers, send, ordered, webhooksOf } = await pastOf(gateway);
  const ids = await send(...numbered(3));
  const late = await consumers.made('late');
  await ordered('late');
  const slow = workerThat(async (statement) => {
    if (statement === 1) await gateway.rows('update bulk_jobs set lease_token = gen_random_uuid()');
  });
  expect(await slow.round()).toBe('more');
  expect(await webhooksOf(late)).toEqual([]);
  await gateway.rows('update bulk_jobs set lease_until = now()');
  await workOff(gateway);
  expect(await webhooksOf(late)).toEqual(ids);
});

test('three workers make each event once', async () => {
  const { account, consumers, send, ordered, webhooksOf } = await pastOf(gateway);
  const ids = await send(...numbered(60));
  await gateway.admin.post(`/admin/accounts/${account.id}/pause`);
  const made = await Promise.all(['one', 'two', 'three'].map((name) => consumers.made(name)));
  await Promise.all([gateway.startWorker(), gateway.startWorker(), gateway.startWorker()]);
  const jobs = await Promise.all(made.map(({ name }) => ordered(name, { per_second: 20 })));
  const late = await send(...numbered(10));
  for (const job of jobs) expect(await ended(gateway, job.id)).toMatchObject({ state: 'done', done: 60 });
  for (const consumer of made) expect(await webhooksOf(consumer)).toEqual([...ids, ...late]);
});

test('a condition that is changed between reading and making a batch is applied to it', async () => {
  const { consumers, send, ordered, webhooksOf } = await pastOf(gateway);
  const ids = await send(...numbered(4));
  const late = await consumers.made('late');
  await ordered('late');
  let changed = false;
  const worker = workerThat(async (statement) => {
    if (statement !== 1 || changed) return;
    changed = true;
    expect((await consumers.patch('late', { condition: 'payload.n > 1' })).status).toBe(200);
  });
  expect(await worker.round()).toBe('more');
  expect(await webhooksOf(late)).toEqual([]);
  await workOff(gateway);
  expect(await webhooksOf(late)).toEqual(ids.slice(2));
});

test.each([
  ['consumer_disabled', (past: Past) => past.consumers.patch('late', { enabled: false })],
  ['consumer_deleted', (past: Past) => past.consumers.delete('late')],
  ['account_disabled', (past: Past) => gateway.admin.request('PATCH', pathOf(past), { enabled: false })],
  ['account_deleted', (past: Past) => gateway.admin.request('DELETE', pathOf(past))],
] as const)('the job ends as %s', async (reason, change) => {
  const past = await pastOf(gateway);
  await past.send(...numbered(3));
  const late = await past.consumers.made('late');
  const job = await past.ordered('late', { per_second: 1 });
  const worker = workerThat(async (statement) => {
    if (statement === 1 && (await past.events(late)).length === 1) await change(past);
  });
  await worker.round();
  await dueNow();
  await worker.round();
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'stopped', reason, done: 1 });
  expect(await past.events(late)).toHaveLength(1);
  const list = (await gateway.admin.request('GET', orderPath)).body;
  expect(list).toMatchObject([{ id: job.id, reason, ended_at: expect.any(String) }]);
});

test('the job of default ends as no_address when its account loses the address', async () => {
  const past = await pastOf(gateway);
  const { account, consumers, send, ordered, events } = past;
  await consumers.made('late');
  await consumers.patch('default', { condition: 'payload.n < 0' });
  await send(...numbered(3));
  await consumers.patch('default', { condition: null });
  const job = await ordered('default', { per_second: 1 });
  await bulkWorkerOf(gateway).round();
  expect(await events(account)).toHaveLength(1);
  expect((await gateway.admin.request('PATCH', pathOf(past), { delivery_url: null })).status).toBe(200);
  await dueNow();
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'stopped', reason: 'no_address', done: 1 });
  expect(await events(account)).toHaveLength(1);
});

type Past = Awaited<ReturnType<typeof pastOf>>;
const pathOf = ({ account }: Past) => `/admin/accounts/${account.id}`;
