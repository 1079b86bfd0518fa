import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { useForEach } from '../../support/use.ts';
import { useGatewayPerTest } from '../../support/use-gateway.ts';
import { recounted } from '../reference.ts';
import { bulkWorkerOf, events, ordered, orderPath, readJob, workOff } from './support.ts';

const gateway = useGatewayPerTest({ worker: false });
const account = useForEach(() => gateway.admin.createAccount({ app_key: 'app' }));

const failed = { delivery_status: 'failed' };
const sql = (text: string, values: unknown[] = []) => gateway.rows(text, values);
const list = async (query: string): Promise<string[]> =>
  (await gateway.admin.request('GET', `/admin/events?limit=1000&${query}`)).body.map(({ id }: { id: string }) => id);
const results = async (id: string) => (await readJob(gateway, id)).results;
const none = { delivered: 0, failing: 0, exhausted: 0, waiting: 0, exact: true };

/** Replays events by a job, and returns its id. Paused, so that nothing waits for attempts. */
async function replayed(order: object = { filter: failed }): Promise<string> {
  const job = await ordered(gateway, { action: 'replay', ...order });
  await gateway.admin.post('/admin/delivery/pause');
  await workOff(gateway);
  await gateway.admin.post('/admin/delivery/resume');
  return job.id;
}

/** Sets what became of events, as attempts and people do. */
const become = (ids: string[], assignments: string) =>
  sql(`update events set ${assignments} where id = any($1)`, [ids]);

test('a job shows what became of its events, each count with exactly its list', async () => {
  const ids = (await events(gateway, account, 20)).sort();
  const [delivered, failing, exhausted] = [ids.slice(0, 5), ids.slice(5, 8), ids.slice(8, 10)];
  const id = await replayed();
  expect(await results(id)).toEqual({ ...none, waiting: 20 });
  await become(delivered, `delivery_status = 'delivered', delivered_at = now(), attempts = 1, status = 'enqueued'`);
  await become(failing, `attempts = 2, next_attempt_at = now() + interval '1 hour'`);
  await become(exhausted, `delivery_status = 'failed', status = 'failed', attempts = 10`);
  expect(await results(id)).toEqual({ delivered: 5, failing: 3, exhausted: 2, waiting: 10, exact: true });
  expect((await list(`job=${id}`)).sort()).toEqual(ids);
  expect((await list(`job=${id}&state=delivered`)).sort()).toEqual(delivered);
  expect((await list(`job=${id}&state=exhausted`)).sort()).toEqual(exhausted);
  expect((await list(`job=${id}&state=retrying`)).sort()).toEqual(failing);
  expect((await list(`job=${id.toUpperCase()}&state=waiting`)).sort()).toEqual(ids.slice(10));
  expect((await gateway.admin.request('GET', `/admin/events/${ids[0]}`)).body.bulk_job_id).toBe(id);
  // What a person has ended is over, and not exhausted again.
  await gateway.admin.post(`/admin/events/${exhausted[0]}/ack`);
  await gateway.admin.post(`/admin/events/${exhausted[1]}/fail`, { dead: true });
  expect(await results(id)).toEqual({ delivered: 5, failing: 3, exhausted: 0, waiting: 10, exact: true });
});

test('an event that is replayed again counts for the later job; a replay by hand leaves it with its job', async () => {
  const ids = (await events(gateway, account, 4)).sort();
  const first = await replayed();
  await become(ids, `delivery_status = 'failed', status = 'failed', attempts = 10`);
  const second = await replayed({ filter: { job: first, account_slug: 'slug' } });
  expect([await results(first), await results(second)]).toEqual([none, { ...none, waiting: 4 }]);
  expect(await readJob(gateway, first)).toMatchObject({ state: 'done', done: 4 });
  expect(await readJob(gateway, second)).toMatchObject({ filter: { job: first, account_slug: 'slug' }, done: 4 });
  expect((await gateway.admin.post(`/admin/events/${ids[0]}/replay`)).body.bulk_job_id).toBe(second);
  const third = await replayed({ ids: ids.slice(1, 3) });
  expect([await results(second), await results(third)]).toEqual([
    { ...none, waiting: 2 },
    { ...none, waiting: 2 },
  ]);
});

test('a retried event waits until its manual attempt is recorded, in any state', async () => {
  const ids = (await events(gateway, account, 3)).sort();
  const job = await ordered(gateway, { action: 'retry', filter: failed });
  await workOff(gateway);
  expect(await results(job.id)).toEqual({ ...none, waiting: 3 });
  const made = (id: string | undefined) =>
    sql(
      `insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome) values ($1, 0, 'manual', 1, now(), 1, 'delivered')`,
      [id],
    );
  await made(ids[0]);
  await made(ids[1]);
  await become([ids[0] ?? ''], `delivery_status = 'delivered', delivered_at = now(), status = 'enqueued'`);
  expect(await results(job.id)).toEqual({ ...none, delivered: 1, exhausted: 1, waiting: 1 });
});

test('a retry that is not made waits no more: its event is dead, or its account was disabled since', async () => {
  const [dead] = await events(gateway, account, 3);
  const job = await ordered(gateway, { action: 'retry', filter: failed });
  await workOff(gateway);
  expect(await results(job.id)).toEqual({ ...none, waiting: 3 });
  await gateway.admin.post(`/admin/events/${dead}/fail`, { dead: true });
  expect(await results(job.id)).toEqual({ ...none, waiting: 2 });
  await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { enabled: false });
  await gateway.startWorker();
  await until('no retry waits', async () => (await results(job.id)).waiting === 0);
  expect(await results(job.id)).toEqual({ ...none, exhausted: 2 });
  expect(await sql('select 1 from delivery_attempts')).toEqual([]);
});

test('events that a job leaves as they are keep no id of it', async () => {
  const [one = '', two = ''] = await events(gateway, account, 2);
  const [rejected = ''] = await events(gateway, account, 1, { status: 'rejected', deliveryStatus: null });
  await sql(`create function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'refused' using errcode = '23514'; end $$`);
  await sql(
    `create trigger refuse before update on events for each row when (old.id = '${two}') execute function refuse()`,
  );
  const id = await replayed({ ids: [one, two, rejected, randomUUID()] });
  expect(await readJob(gateway, id)).toMatchObject({
    ...{ done: 1, failed: 1, skipped: { event_rejected: 1, not_found: 1 }, results: { ...none, waiting: 1 } },
  });
  expect(await sql('select id from events where bulk_job_id is not null')).toEqual([{ id: one }]);
});

test.each(['ack', 'dead', 'retry', 'replay'])(
  '%s: each changed event has the id of the job, and the statistics stay exact',
  async (action) => {
    await events(gateway, account, 7);
    await gateway.admin.post('/admin/delivery/resume');
    const job = await ordered(gateway, { action, filter: failed });
    await bulkWorkerOf(gateway).round();
    await workOff(gateway);
    expect(await list(`job=${job.id}`)).toHaveLength(7);
    const { counts } = await recounted(gateway.database);
    const { body } = await gateway.admin.request('GET', '/admin/delivery/stats');
    expect({ total: body.total, pending: body.pending, delivered: body.delivered, failed: body.failed }).toEqual({
      ...{ total: counts?.total, pending: counts?.pending, delivered: counts?.delivered, failed: counts?.failed },
    });
  },
);

test('more than 10,000 of one result are not counted exactly', async () => {
  await events(gateway, account, 1);
  const id = await replayed();
  await events(gateway, account, 10_001, { bulkJobId: id, deliveryStatus: 'delivered', status: 'enqueued' }, 3);
  await sql(
    `update bulk_jobs set first_event = (select min(id::text)::uuid from events), batch_to = (select max(id::text)::uuid from events)`,
  );
  expect(await results(id)).toEqual({ ...none, delivered: 10_000, waiting: 1, exact: false });
});

test('events of several months are counted', async () => {
  await events(gateway, account, 80, {}, 80);
  const id = await replayed();
  expect(await results(id)).toEqual({ ...none, waiting: 80 });
});

test('the filter takes only ids; an unknown job has no events; a job that has done nothing has no results', async () => {
  await events(gateway, account, 1);
  for (const job of ['1', 'none', `${randomUUID()}0`]) {
    const { status, body } = await gateway.admin.request('GET', `/admin/events?job=${job}`);
    expect([status, body.errors?.[0]?.path]).toEqual([422, 'job']);
    const order = await gateway.admin.post(orderPath, { action: 'replay', filter: { job } });
    expect([order.status, order.body.errors?.[0]?.path]).toEqual([422, 'filter.job']);
  }
  expect(await list(`job=${randomUUID()}`)).toEqual([]);
  const job = await ordered(gateway, { action: 'replay', filter: { app_key: 'none' } });
  expect(await readJob(gateway, job.id)).toMatchObject({ results: none, waits_for: null });
  await workOff(gateway);
  expect(await results(job.id)).toEqual(none);
});
