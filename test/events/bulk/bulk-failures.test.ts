import { expect, test } from 'vitest';
import { nextMatches } from '../../../src/events/bulk/matching-events.ts';
import { firstSliceMs } from '../../../src/events/bulk/slices.ts';
import { ack } from '../../../src/events/transitions/acknowledged.ts';
import { groupsOf } from '../../support/groups-of.ts';
import { useForEach } from '../../support/use.ts';
import { useGatewayPerTest } from '../../support/use-gateway.ts';
import { bulkWorkerOf, ended, entriesOfJob, events, generations, ordered, readJob, workOff } from './support.ts';

const dayMs = 86_400_000;

const gateway = useGatewayPerTest({ worker: false });
const account = useForEach(() => gateway.admin.createAccount({ app_key: 'app' }));

/** Paused, so that the next batch does not wait for the attempts of the last one, which nothing makes here. */
const paused = () => gateway.admin.post('/admin/delivery/pause');
const sql = (text: string, values: unknown[] = []) => gateway.rows(text, values);

test.each(['replay', 'ack'] as const)(
  '%s: an event that the database refuses to change is counted, the others are changed',
  async (action) => {
    const ids = await events(gateway, account, 5);
    await sql(`create function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'refused' using errcode = '23514'; end $$`);
    await sql(
      `create trigger refuse before update on events for each row when (old.id = '${ids[2]}') execute function refuse()`,
    );
    const job = await ordered(gateway, { action, ids });
    await workOff(gateway);
    expect(await readJob(gateway, job.id)).toMatchObject({
      state: 'done',
      matched: 5,
      done: 4,
      failed: 1,
      skipped: {},
    });
    const changed = action === 'replay' ? 'generation = 1' : `status = 'processed'`;
    expect((await sql(`select id from events where not (${changed})`)).map(({ id }) => id)).toEqual([ids[2]]);
  },
);

test('a job whose filter this version cannot read fails, with an entry in the audit log', async () => {
  await events(gateway, account, 2);
  const job = await ordered(gateway, { action: 'replay', filter: { app_key: 'app' } });
  await sql(`update bulk_jobs set filter = '{"color": "red"}'`);
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({
    ...{ state: 'failed', done: 0, reason: 'internal error; see the log of the worker' },
  });
  expect((await entriesOfJob(gateway, job.id)).at(-1)).toMatchObject({
    ...{ action: 'event.bulk_end', details: { state: 'failed' } },
  });
  expect(await generations(gateway)).toEqual({ 0: 2 });
});

test('a job whose statement PostgreSQL always refuses fails instead of being tried for ever', async () => {
  await events(gateway, account, 2);
  await sql(`create or replace function lock_events(p_ids uuid[], p_low uuid, p_high uuid) returns void language plpgsql as $$ begin
    raise exception 'refused' using errcode = '22023'; end $$`);
  const job = await ordered(gateway, { action: 'replay', filter: { app_key: 'app' } });
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'failed', done: 0 });
  expect(await generations(gateway)).toEqual({ 0: 2 });
});

test('a replay waits for the attempts of its last batch, so that new events are not delayed behind it', async () => {
  await events(gateway, account, 450);
  const job = await ordered(gateway, { action: 'replay', filter: { app_key: 'app' } });
  const worker = bulkWorkerOf(gateway);
  const rounds = async (n: number) => {
    for (; n > 0; n--) {
      await sql('update bulk_jobs set next_batch_at = now()');
      await worker.round();
    }
    return (await readJob(gateway, job.id)).matched;
  };
  expect(await rounds(4)).toBe(200);
  // Half of the batch was attempted.
  await sql('delete from event_queue where event_id in (select event_id from event_queue order by event_id limit 100)');
  expect(await rounds(4)).toBe(400);
  // As if 30 s had passed: a consumer that does not respond must not hold up the job.
  await sql(`update bulk_jobs set batch_at = batch_at - interval '30 s'`);
  expect(await rounds(1)).toBe(450);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 450 });
});

test('a worker whose lease was lost changes nothing', async () => {
  await events(gateway, account, 300);
  await paused();
  const job = await ordered(gateway, { action: 'replay', filter: { app_key: 'app' } });
  // The reader's connections are slow, so that the lease is lost between the lease and the batch.
  const { database } = gateway;
  const worker = bulkWorkerOf({
    ...gateway,
    database: {
      ...database,
      transaction: async (work) => {
        await sql('update bulk_jobs set lease_token = gen_random_uuid()');
        return database.transaction(work);
      },
    },
  });
  expect(await worker.round()).toBe('more');
  expect(await generations(gateway)).toEqual({ 0: 300 });
  expect(await bulkWorkerOf(gateway).round()).toBe('idle');
  // As when the lease has expired.
  await sql('update bulk_jobs set lease_until = now()');
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', done: 300 });
  expect(await generations(gateway)).toEqual({ 1: 300 });
});

test('events that were changed since the order are skipped or not seen, never changed', async () => {
  const ids = await events(gateway, account, 250, {}, 1);
  await paused();
  const sorted = [...ids].sort();
  const job = await ordered(gateway, { action: 'replay', filter: { delivery_status: 'failed' } });
  const { database } = gateway;
  let batches = 0;
  const worker = bulkWorkerOf({
    ...gateway,
    database: {
      ...database,
      // Between reading the batch and changing it.
      transaction: async (work) => {
        if (batches++ === 0)
          await sql(`update events set delivery_status = 'delivered' where id = any($1)`, [sorted.slice(0, 10)]);
        return database.transaction(work);
      },
    },
  });
  expect(await worker.round()).toBe('more');
  await sql(`update events set delivery_status = 'delivered' where id = any($1)`, [sorted.slice(240)]);
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({
    ...{ state: 'done', total: 250, matched: 240, done: 230, skipped: { no_longer_matches: 10 } },
  });
  expect(await generations(gateway)).toEqual({ 0: 20, 1: 230 });
});

test('an event that matches again because of the job is changed once', async () => {
  await events(gateway, account, 450);
  // `retry` changes no state, so that each event matches as before.
  const job = await ordered(gateway, { action: 'retry', filter: { delivery_status: 'failed' } });
  await workOff(gateway);
  expect(await readJob(gateway, job.id)).toMatchObject({ state: 'done', matched: 450, done: 450 });
  expect(await sql('select distinct manual_attempts from events')).toEqual([{ manual_attempts: 1 }]);
  expect(await sql('select count(*)::integer as n from event_commands')).toEqual([{ n: 450 }]);
});

test('jobs, replay-failed and single operations at the same time: each event is replayed once by each order', async () => {
  const ids = await events(gateway, account, 2_500);
  await gateway.admin.post('/admin/delivery/pause');
  await Promise.all([gateway.startWorker(), gateway.startWorker()]);
  const [first, second, all] = await Promise.all([
    ordered(gateway, { action: 'replay', filter: { delivery_status: 'failed' } }),
    ordered(gateway, { action: 'replay', filter: { delivery_status: 'failed', app_key: 'app' } }),
    gateway.admin.post('/admin/events/replay-failed'),
  ]);
  const some = ids.filter((_, n) => n % 100 === 0);
  // Fewer at a time than there are connections, which the workers need too.
  for (const group of groupsOf(some, 5)) await Promise.all(group.map((id) => ack(gateway.database, id)));
  expect(all.status).toBe(202);
  const jobs = [await ended(gateway, first.id), await ended(gateway, second.id)];
  expect(jobs.map(({ state, failed }) => [state, failed])).toEqual([
    ['done', 0],
    ['done', 0],
  ]);
  // An event that is replayed has not failed any more, so no second order replays it.
  const found = await generations(gateway);
  expect(found[1]).toBeGreaterThanOrEqual(2_475);
  expect(found[2]).toBeUndefined();
});

test('a sparse filter moves on over slices without a match, however little time it has', async () => {
  const [wanted] = await events(gateway, account, 1, { appKey: 'rare', receivedAt: new Date(Date.now() - 3 * dayMs) });
  await events(gateway, account, 60, { status: 'processed' }, 20);
  const newest = (await sql('select max(id::text) as id from events'))[0]?.id;
  let place = { next: '00000000-0000-0000-0000-000000000000', last: newest, sliceMs: firstSliceMs };
  const found: string[] = [];
  for (let calls = 1; ; calls++) {
    const { status } = { status: 'failed' as const };
    const next = await nextMatches(gateway.database.reader, { status }, place, { most: 200, timeMs: 0 });
    found.push(...next.ids);
    if (next.end) break;
    expect(next.place.next > place.next).toBe(true);
    expect(calls).toBeLessThan(100);
    place = next.place;
  }
  expect(found).toEqual([wanted]);
});

test('a statement that takes too long reads a shorter slice the next time', async () => {
  await events(gateway, account, 3);
  const newest = (await sql('select max(id::text) as id from events'))[0]?.id;
  const place = { next: '00000000-0000-0000-0000-000000000000', last: newest, sliceMs: firstSliceMs };
  const canceled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const slow: typeof gateway.database.reader = {
    query: (statement, values) =>
      statement.text.includes('e.app_key')
        ? Promise.reject(canceled)
        : gateway.database.reader.query(statement, values),
  };
  const once = await nextMatches(slow, { app_key: 'app' }, place, { most: 200, timeMs: 1_000 });
  expect(once).toMatchObject({ ids: [], end: false, place: { sliceMs: firstSliceMs / 8 } });
  const { ids, end } = await nextMatches(gateway.database.reader, { app_key: 'app' }, once.place, {
    ...{ most: 200, timeMs: 10_000 },
  });
  expect([ids.length, end]).toEqual([3, true]);
});
