import { expect, test } from 'vitest';
import { useForEach } from '../../support/use.ts';
import { useGatewayPerTest } from '../../support/use-gateway.ts';
import { bulkWorkerOf, events, generations, ordered, orderPath, readJob } from './support.ts';

const gateway = useGatewayPerTest({ worker: false });
const account = useForEach(() => gateway.admin.createAccount({ app_key: 'app' }));

const failed = { delivery_status: 'failed' };
const sql = (text: string, values: unknown[] = []) => gateway.rows(text, values);
const dueNow = () => sql('update bulk_jobs set next_batch_at = now()');
/** As if the attempts of all replayed events had begun, which nothing makes here. */
const attempted = () => sql('delete from event_queue');
const matchedOf = async (id: string) => (await readJob(gateway, id)).matched;

/** Works on jobs until they have ended, as `workers` processes do, with consumers that take everything at once. */
async function workedOff(workers = 1): Promise<void> {
  const work = async () => {
    const worker = bulkWorkerOf(gateway);
    for (;;) {
      const round = await worker.round();
      await attempted();
      const [left] = await sql('select 1 from bulk_jobs where ended_at is null limit 1');
      if (left === undefined) return;
      if (round === 'idle') await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}

/** The times of the replays by the clock of the database, in ms, in their order. */
const replayTimes = async () =>
  (
    await sql(
      'select (extract(epoch from generation_at) * 1000)::float8 as at from events where generation > 0 order by 1',
    )
  ).map(({ at }) => Number(at));

test.each([
  [{ action: 'replay', per_second: 0 }, 'per_second'],
  [{ action: 'replay', per_second: 1_001 }, 'per_second'],
  [{ action: 'replay', per_second: 2.5 }, 'per_second'],
  [{ action: 'retry', per_second: '5' }, 'per_second'],
  [{ action: 'replay', per_second: null }, 'per_second'],
  [{ action: 'ack', per_second: 5 }, 'per_second'],
  [{ action: 'dead', per_second: 5 }, 'per_second'],
])('%o is refused', async (order, path) => {
  const { status, body } = await gateway.admin.post(orderPath, { ...order, filter: failed });
  expect([status, body.code, body.errors.map((error: { path: string }) => error.path)]).toEqual([
    ...[422, 'invalid', [path]],
  ]);
  expect(await sql('select 1 from bulk_jobs')).toEqual([]);
});

test.each([1, 3])(
  '%i workers change no more events in a second than the order says',
  async (workers) => {
    await events(gateway, account, 10);
    const job = await ordered(gateway, { action: 'replay', filter: failed, per_second: 3 });
    expect(job).toMatchObject({ per_second: 3, total: 10 });
    await workedOff(workers);
    expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 10, per_second: 3 });
    const times = await replayTimes();
    expect(times).toHaveLength(10);
    for (const [n, at] of times.entries())
      if (times[n + 3] !== undefined) expect(Number(times[n + 3]) - at).toBeGreaterThanOrEqual(1_000);
  },
  60_000,
);

test('the pace of 1,000 a second is that of five batches', async () => {
  await events(gateway, account, 650);
  await ordered(gateway, { action: 'replay', filter: failed, per_second: 1_000 });
  await workedOff(2);
  const times = [...new Set(await replayTimes())];
  expect(times.length).toBe(4);
  for (const [n, at] of times.entries())
    if (times[n + 1] !== undefined) expect(Number(times[n + 1]) - at).toBeGreaterThanOrEqual(200);
});

test('a worker that starts later keeps the pace: it is stored with the position', async () => {
  await events(gateway, account, 5);
  const job = await ordered(gateway, { action: 'replay', filter: failed, per_second: 2 });
  expect(await bulkWorkerOf(gateway).round()).toBe('more');
  await attempted();
  expect(await matchedOf(job.id)).toBe(2);
  const moved = (by: string) => sql(`update bulk_jobs set paced_batch_at = paced_batch_at ${by}`);
  await moved(`+ interval '1 hour'`);
  expect(await bulkWorkerOf(gateway).round()).toBe('idle');
  await moved(`- interval '1 hour'`);
  await workedOff();
  const times = await replayTimes();
  expect(Number(times[2]) - Number(times[1])).toBeGreaterThanOrEqual(1_000);
  expect(Number(times[4]) - Number(times[3])).toBeGreaterThanOrEqual(1_000);
});

test('a worker that loses its connection in the middle of a batch changes nothing, and the next one keeps the pace', async () => {
  await events(gateway, account, 4);
  const job = await ordered(gateway, { action: 'replay', filter: failed, per_second: 2 });
  const { database } = gateway;
  const broken = bulkWorkerOf({
    ...gateway,
    database: {
      ...database,
      transaction: (work) =>
        database.transaction(async (connection) => {
          const result = await work(connection);
          await connection.query({ name: '', text: 'select pg_terminate_backend(pg_backend_pid())' }, []);
          return result;
        }),
    },
  });
  await expect(broken.round()).rejects.toThrow();
  expect([await matchedOf(job.id), await generations(gateway)]).toEqual([0, { 0: 4 }]);
  await sql('update bulk_jobs set lease_until = now()');
  await workedOff();
  const times = await replayTimes();
  expect(times).toHaveLength(4);
  expect(Number(times[2]) - Number(times[1])).toBeGreaterThanOrEqual(1_000);
});

test('a worker of the release before leaves the job alone, and may end it after a stop', async () => {
  await events(gateway, account, 3);
  const job = await ordered(gateway, { action: 'replay', filter: failed, per_second: 1 });
  const theirs = 'select id from bulk_jobs where ended_at is null and next_batch_at <= now()';
  expect(await sql(theirs)).toEqual([]);
  await bulkWorkerOf(gateway).round();
  expect([await matchedOf(job.id), await sql(theirs)]).toEqual([1, []]);
  await gateway.admin.post(`${orderPath}/${job.id}/stop`);
  expect(await sql(theirs)).toEqual([{ id: job.id }]);
  await workedOff();
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'stopped', reason: 'operator', done: 1 });
});

test('a retry has a pace, too', async () => {
  await events(gateway, account, 3);
  const job = await ordered(gateway, { action: 'retry', filter: failed, per_second: 2 });
  const worker = bulkWorkerOf(gateway);
  expect(await worker.round()).toBe('more');
  expect(await matchedOf(job.id)).toBe(2);
  // Its commands wait for Temporal, so that the job waits.
  await dueNow();
  expect(await worker.round()).toBe('more');
  expect(await matchedOf(job.id)).toBe(2);
  await sql('delete from event_commands');
  await dueNow();
  await worker.round();
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 3 });
});

test('the job waits while more than half of its last events wait for an attempt, however long that is', async () => {
  await events(gateway, account, 30);
  const job = await ordered(gateway, { action: 'replay', filter: failed, per_second: 10 });
  const worker = bulkWorkerOf(gateway);
  const next = async () => {
    await dueNow();
    await worker.round();
    return matchedOf(job.id);
  };
  expect(await next()).toBe(10);
  await sql(`update bulk_jobs set batch_at = batch_at - interval '1 hour'`);
  expect(await next()).toBe(10);
  // An attempt that has begun waits no more.
  await sql(`update event_queue set claimed_until = now() + interval '1 hour', claim_token = gen_random_uuid()
    where event_id in (select event_id from event_queue order by event_id limit 5)`);
  expect(await next()).toBe(20);
  expect(await next()).toBe(20);
  await attempted();
  expect(await next()).toBe(30);
});

test('the audit entry of the order has the pace; the same order at another pace is refused while the first one runs', async () => {
  await events(gateway, account, 1);
  const order = { action: 'replay', filter: failed };
  const job = await ordered(gateway, { ...order, per_second: 7 });
  const [entry] = await sql(`select details from audit_logs where action = 'event.bulk' and details->>'job_id' = $1`, [
    job.id,
  ]);
  expect(entry?.details).toMatchObject({ action: 'replay', per_second: 7 });
  const again = await gateway.admin.post(orderPath, { ...order, per_second: 8 });
  expect([again.status, again.body.code]).toEqual([409, 'conflict']);
  await workedOff();
});

test.each([{ per_second: 2 }, {}])('events of others between those of the job delay nothing: %o', async (pace) => {
  const other = await gateway.admin.createAccount({ app_key: 'other' });
  const most = 'per_second' in pace ? 2 : 200;
  const at = (seconds: number) => ({ receivedAt: new Date(Date.now() - 60_000 + seconds * 1_000) });
  await events(gateway, account, 1, at(0));
  await events(gateway, other, most * 2, { accountSlug: 'other', ...at(10) });
  await events(gateway, account, most - 1, at(20));
  await events(gateway, account, most, at(30));
  const replayed = await gateway.admin.post('/admin/events/replay-failed?account_slug=other');
  expect(replayed).toMatchObject({ status: 202, body: { replayed: most * 2 } });
  const worker = bulkWorkerOf(gateway);
  const job = await ordered(gateway, { action: 'replay', filter: { ...failed, account_slug: 'slug' }, ...pace });
  await worker.round();
  expect(await matchedOf(job.id)).toBe(most);
  await sql('delete from event_queue q using events e where e.id = q.event_id and e.account_id = $1', [account.id]);
  await sql(
    'update bulk_jobs set next_batch_at = now(), paced_batch_at = case when per_second is not null then now() end',
  );
  await worker.round();
  expect(await matchedOf(job.id)).toBe(most * 2);
});
