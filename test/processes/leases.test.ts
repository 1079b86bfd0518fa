import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { QueueWrites } from '../../src/engine/queue-writes.ts';
import { lowestId } from '../../src/events/queue.ts';
import { ClaimReturns } from '../../src/processes/claim-returns.ts';
import { Leases } from '../../src/processes/leases.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { openQueueStage } from '../support/queue-stage.ts';
import { log } from '../support/runtime.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';

let stage: Awaited<ReturnType<typeof openQueueStage>>;
beforeAll(async () => {
  stage = await openQueueStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

/** Time limits of attempts that result in leases of 1 s and 3 s: a lease is 16 s longer than the time limit. */
const [secondOfLease, threeSeconds] = [{ timeLimitMs: -15_000 }, { timeLimitMs: -13_000 }];

/** A queued event that only needs its workflow. */
async function queuedEvent(): Promise<string> {
  const [id = ''] = await stage.send(await stage.account(), 1);
  await stage.move([id], 2);
  return id;
}

const claim = ({ token, leaseS }: { token: string; leaseS: number }) =>
  claimSettledForStart(stage.gateway.database, { after: lowestId, limit: 10, token, leaseS });
const claimedBy = async (id: string) =>
  (await rows(stage.gateway.database, 'select claim_token from event_queue where event_id = $1', [id]))[0]?.claim_token;
/** The remaining time of a lease in ms, by the server's clock. */
const leftMs = async (id: string): Promise<number> =>
  (
    await rows(
      stage.gateway.database,
      'select extract(epoch from claimed_until - clock_timestamp())::float8 * 1000 as ms from event_queue where event_id = $1',
      [id],
    )
  )[0]?.ms;
const endOf = async (id: string) =>
  (await rows(stage.gateway.database, 'select claimed_until from event_queue where event_id = $1', [id]))[0]
    ?.claimed_until;
const other = () => ({ token: randomUUID(), leaseS: 30 });

test('a lease that is held is renewed, so that no other process claims its event', async () => {
  const id = await queuedEvent();
  // Long enough for renewals to be in time on a busy machine.
  const { leases } = stage.process(threeSeconds);
  await claim(leases);
  leases.start();
  leases.hold(id);
  const first: Date = await endOf(id);
  await until('the first lease would have ended', async () => {
    expect((await claim(other())).claimed).toEqual([]);
    const [now] = await rows(stage.gateway.database, 'select now() > $1 as over', [first]);
    return now?.over;
  });
  expect(await claimedBy(id)).toBe(leases.token);
}, 30_000);

test('a released lease is not renewed, and another process claims the event', async () => {
  const id = await queuedEvent();
  const { leases } = stage.process(secondOfLease);
  await claim(leases);
  leases.start();
  leases.hold(id).release();
  const taker = other();
  await until('the event is claimed', async () => (await claim(taker)).claimed.length > 0);
  expect(await claimedBy(id)).toBe(taker.token);
}, 30_000);

test('a lost lease is not renewed, and allows no write', async () => {
  const id = await queuedEvent();
  const { leases } = stage.process(secondOfLease);
  await claim(leases);
  leases.hold(id);
  // The process was suspended for longer than its lease.
  await rows(stage.gateway.database, `update event_queue set claimed_until = now() - interval '1 s'`);
  const taker = other();
  expect((await claim(taker)).claimed).toHaveLength(1);
  const taken = await endOf(id);
  const mine = await queuedEvent();
  await claim(leases);
  leases.hold(mine);
  const before: Date = await endOf(mine);
  leases.start();
  await until('the other lease is renewed', async () => (await endOf(mine)) > before);
  expect(await endOf(id)).toEqual(taken);
  const writes = new QueueWrites(stage.gateway.database);
  await writes.markStarted({ eventId: id, generation: 0, token: leases.token, runId: null });
  await new ClaimReturns(stage.gateway.database).handBack({
    ...{ eventId: id, generation: 0 },
    ...{ token: leases.token, delayS: 0 },
  });
  expect(await claimedBy(id)).toBe(taker.token);
}, 30_000);

test('leases are renewed again after their connection was lost', async () => {
  const id = await queuedEvent();
  const database = await openDatabase({ url: stage.gateway.databaseUrl, log, maxConnections: 1 });
  const leases = new Leases({ sql: database, log, ...secondOfLease });
  try {
    await claimSettledForStart(database, { after: lowestId, limit: 10, token: leases.token, leaseS: 30 });
    leases.start();
    leases.hold(id);
    const [mine] = (await database.pool.query('select pg_backend_pid() as pid')).rows;
    await stage.gateway.database.pool.query('select pg_terminate_backend($1)', [mine?.pid]);
    // The first renewal shortens the long lease to the one of the process.
    await until('the lease is renewed', async () => (await leftMs(id)) < 2_000);
    const renewed: Date = await endOf(id);
    await until('the lease is renewed again', async () => (await endOf(id)) > renewed);
  } finally {
    leases.stop();
    await database.close();
  }
}, 30_000);
