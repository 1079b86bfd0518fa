import { expect, test } from 'vitest';
import { insertConsumer } from '../../support/consumers.ts';
import { useForEach } from '../../support/use.ts';
import { useGatewayPerTest } from '../../support/use-gateway.ts';
import { bulkWorkerOf, events, generations, ordered, orderPath, readJob } from './support.ts';

// Jobs with a pace, whose events a pause holds up.

const gateway = useGatewayPerTest({ worker: false });
const account = useForEach(() => gateway.admin.createAccount({ app_key: 'app' }));

const failed = { delivery_status: 'failed' };
const sql = (text: string, values: unknown[] = []) => gateway.rows(text, values);
const dueNow = () => sql('update bulk_jobs set next_batch_at = now()');
/** As if the attempts of all replayed events had begun, which nothing makes here. */
const attempted = () => sql('delete from event_queue');
const matchedOf = async (id: string) => (await readJob(gateway, id)).matched;

test.each([{ filter: failed }, { ids: true }] as const)(
  'a pause of the account holds up its events: %o',
  async (what) => {
    const ids = (await events(gateway, account, 6, {}, 1)).sort();
    const other = await gateway.admin.createAccount({ app_key: 'other' });
    const [late = ''] = await events(gateway, other, 1, { receivedAt: new Date() }, 1);
    await sql(`update events set account_id = $1, received_at = received_at where id = any($2)`, [
      other.id,
      ids.slice(0, 2),
    ]);
    await gateway.admin.post(`/admin/accounts/${account.id}/pause`, { reason: 'repair' });
    const selected = 'ids' in what ? { ids: [...ids, late] } : { filter: failed };
    const job = await ordered(gateway, { action: 'replay', ...selected, per_second: 4 });
    const worker = bulkWorkerOf(gateway);
    const next = async () => {
      await attempted();
      await dueNow();
      await worker.round();
      return matchedOf(job.id);
    };
    // Up to the first event of the paused account, and no further.
    expect([await next(), await next(), await next()]).toEqual([2, 2, 2]);
    expect(await readJob(gateway, job.id)).toMatchObject({ state: 'running', waits_for: 'paused', done: 2 });
    expect(await generations(gateway)).toEqual({ 0: 5, 1: 2 });
    await gateway.admin.post(`/admin/accounts/${account.id}/resume`);
    expect(await readJob(gateway, job.id)).toMatchObject({ waits_for: null });
    expect([await next(), await next()]).toEqual([6, 7]);
    expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 7, skipped: {}, waits_for: null });
  },
);

test('a pause of the consumer, and one of all deliveries, hold up the job; a stop ends it then', async () => {
  const { database } = gateway;
  const consumerId = await insertConsumer(database, { accountId: account.id, name: 'billing' });
  await events(gateway, account, 3, { consumerId });
  const order = { action: 'replay', filter: { consumer: 'billing' }, per_second: 5 };
  const job = await ordered(gateway, order);
  const worker = bulkWorkerOf(gateway);
  await sql('update consumers set paused_since = now()');
  await worker.round();
  expect(await readJob(gateway, job.id)).toMatchObject({ matched: 0, waits_for: 'paused', state: 'running' });
  await sql('update consumers set paused_since = null');
  await gateway.admin.post('/admin/delivery/pause');
  await dueNow();
  await worker.round();
  expect(await readJob(gateway, job.id)).toMatchObject({ matched: 0, waits_for: 'paused' });
  await gateway.admin.post(`${orderPath}/${job.id}/stop`);
  await worker.round();
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'stopped', matched: 0, waits_for: null });
  expect(await generations(gateway)).toEqual({ 0: 3 });
});

test('events of a disabled account hold up nothing, whether it is paused or not', async () => {
  const disabled = await gateway.admin.createAccount({ app_key: 'disabled', enabled: false });
  await events(gateway, disabled, 2);
  await events(gateway, account, 2);
  await sql('update accounts set paused_since = now() where id = $1', [disabled.id]);
  const job = await ordered(gateway, { action: 'replay', filter: failed, per_second: 100 });
  const worker = bulkWorkerOf(gateway);
  await worker.round();
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 4 });
});

test('a job without a pace goes on during a pause, as before', async () => {
  await events(gateway, account, 3);
  await gateway.admin.post('/admin/delivery/pause');
  const job = await ordered(gateway, { action: 'replay', filter: failed });
  await bulkWorkerOf(gateway).round();
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 3, per_second: null, waits_for: null });
});

test('a job goes on when the event that a pause held up does not match any more', async () => {
  const paused = await gateway.admin.createAccount({ app_key: 'paused' });
  const [held = ''] = await events(gateway, paused, 1, { receivedAt: new Date(Date.now() - 60_000) });
  await events(gateway, account, 2, {}, 1);
  await gateway.admin.post(`/admin/accounts/${paused.id}/pause`, { reason: 'repair' });
  const job = await ordered(gateway, { action: 'replay', filter: failed, per_second: 5 });
  const worker = bulkWorkerOf(gateway);
  await worker.round();
  expect(await readJob(gateway, job.id)).toMatchObject({ matched: 0, waits_for: 'paused' });
  expect((await gateway.admin.post(`/admin/events/${held}/ack`)).status).toBe(200);
  await dueNow();
  await worker.round();
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 2, waits_for: null });
});

test.each(['enabled = false', 'paused_since = now()'])(
  'a retry that waits for its consumer holds up no other one of its job: %s',
  async (change) => {
    const other = await gateway.admin.createAccount({ app_key: 'other' });
    const [first] = await events(gateway, other, 1, { receivedAt: new Date(Date.now() - 60_000) });
    await events(gateway, account, 1, { receivedAt: new Date() });
    // Its workflow was not started yet, and its command waits for that.
    await sql('insert into event_queue (event_id, account_id, generation, lane) values ($1, $2, 0, 2)', [
      first,
      other.id,
    ]);
    const job = await ordered(gateway, { action: 'retry', filter: failed, per_second: 1 });
    const worker = bulkWorkerOf(gateway);
    await worker.round();
    await dueNow();
    await worker.round();
    expect(await matchedOf(job.id)).toBe(1);
    await sql(`update accounts set ${change} where id = $1`, [other.id]);
    await dueNow();
    await worker.round();
    expect(await matchedOf(job.id)).toBe(2);
  },
);
