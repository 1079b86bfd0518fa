import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { QueueWrites } from '../../src/engine/queue-writes.ts';
import { lowestId } from '../../src/events/queue.ts';
import { ClaimReturns } from '../../src/processes/claim-returns.ts';
import { countProcesses, listProcesses } from '../../src/processes/process-rows.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { breakConnection } from '../support/break-connection.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { log } from '../support/runtime.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';

const stage = useQueueStage();

/** Queued events that only need their workflow, claimed by a token. */
async function claimedBy(token: string, count: number): Promise<string[]> {
  const ids = await stage.send(await stage.account(), count);
  await stage.move(ids, 2);
  const { claimed } = await claim(token);
  expect(claimed.map(({ eventId }) => eventId).sort()).toEqual(ids);
  return ids;
}
const claim = (token: string) =>
  claimSettledForStart(stage.gateway.database, { all: true, after: lowestId, limit: 10, token });
/** The tokens of those events whose claim is in force, in the order of the ids. */
const holders = async (ids: string[]): Promise<string[]> =>
  (
    await stage.gateway.rows(
      'select claim_token from event_queue where event_id = any($1) and claimed_until > now() order by event_id',
      [ids],
    )
  ).map(({ claim_token }) => claim_token);
const released = (ids: string[]) => until('the claims have ended', async () => (await holders(ids)).length === 0);

/** The server's processes of the sessions that send heartbeats. */
async function sessions(): Promise<number[]> {
  const rows = await stage.gateway.rows(
    `select pid from pg_stat_activity where datname = current_database() and query like '%insert into processes%' and pid <> pg_backend_pid()`,
  );
  return rows.map(({ pid }) => pid);
}
/** A token as of a process that has died a moment ago. */
async function deadToken(): Promise<string> {
  const token = randomUUID();
  await stage.gateway.rows(
    `insert into processes (token, role, host, pid, version, makes_first_attempts, started_at, alive_until, first_attempts_per_s)
     values ($1, 'api', 'gone', 1, '0', true, now(), now(), 0)`,
    [token],
  );
  return token;
}

test('the events of a process without a heartbeat can be claimed in their order after seconds', async () => {
  const [dead, living] = [await stage.alive({ hangs: true }), await stage.alive()];
  const ids = await claimedBy(dead.claims.token, 4);
  for (const id of ids) dead.claims.hold(id);
  await released(ids);
  expect(dead.heartbeat.isAlive).toBe(false);
  const { claimed } = await claimSettledForStart(stage.gateway.database, {
    ...{ all: true, after: lowestId, limit: 3, token: living.claims.token },
  });
  expect(claimed.map(({ eventId }) => eventId).sort()).toEqual(ids.slice(0, 3));
});

test('a process that starts ends the claims of processes that died before', async () => {
  const ids = await claimedBy(await deadToken(), 2);
  await stage.alive();
  await released(ids);
});

test('claims of tokens without a row are ended when every living process had the time to write its row', async () => {
  const ids = await claimedBy(randomUUID(), 2);
  await stage.alive();
  await released(ids);
});

test('claims of the release before, which end by themselves, are left alone', async () => {
  const token = randomUUID();
  const old = await claimedBy(token, 1);
  await stage.gateway.rows(`update event_queue set claimed_until = now() + interval '1 h'`);
  const unknown = await claimedBy(randomUUID(), 1);
  await stage.alive();
  await released(unknown);
  expect(await holders(old)).toEqual([token]);
});

test('the claims of a living process stay, while those of a dead one are taken over', async () => {
  const [one, other] = [await stage.alive(), await stage.alive()];
  const [first, second] = [await claimedBy(one.claims.token, 2), await claimedBy(other.claims.token, 2)];
  for (const id of first) one.claims.hold(id);
  for (const id of second) other.claims.hold(id);
  await released(await claimedBy(await deadToken(), 1));
  expect(await holders([...first, ...second])).toEqual([
    ...first.map(() => one.claims.token),
    ...second.map(() => other.claims.token),
  ]);
});

test('a claim that was taken over allows no write of its former owner', async () => {
  const [id = ''] = await claimedBy(randomUUID(), 1);
  const former = (await holders([id]))[0] ?? '';
  const taker = randomUUID();
  await stage.gateway.rows('update event_queue set claim_token = $1', [taker]);
  await new QueueWrites(stage.gateway.database).markStarted({ eventId: id, generation: 0, token: former, runId: null });
  await new ClaimReturns(stage.gateway.database).handBack({
    ...{ eventId: id, generation: 0, token: former, delayS: 0 },
  });
  expect(await holders([id])).toEqual([taker]);
});

test('the heartbeats are written on a connection of their own, also when all others are in use', async () => {
  const { heartbeat } = await stage.alive();
  const database = await openDatabase({ url: stage.gateway.databaseUrl, log, maxConnections: 1 });
  const busy = await database.pool.connect();
  try {
    await busy.query('select pg_sleep(5)');
    expect(heartbeat.isAlive).toBe(true);
  } finally {
    busy.release();
    await database.close();
  }
});

test('the list says what each process is, and how many first attempts it makes', async () => {
  const account = await stage.account();
  const { claims, firstAttempts } = await stage.alive();
  await stage.alive({ makesFirstAttempts: false });
  expect(await countProcesses(stage.gateway.database)).toEqual({ workers: 0, delivering: 1 });
  await stage.send(account, 1);
  firstAttempts.start();
  firstAttempts.wake();
  const own = async () => (await listProcesses(stage.gateway.database)).find(({ id }) => id === claims.token);
  await until('the rate is told', async () => ((await own())?.first_attempts_per_s ?? 0) > 0);
  expect(await own()).toMatchObject({ role: 'api', pid: process.pid, makes_first_attempts: true, alive: true });
});

test('a heartbeat finds the first attempts of living processes on its machine, and of no other', async () => {
  const { heartbeat } = await stage.alive();
  const beaten = (host: string, perS: number, untilS: number) =>
    stage.gateway.rows(
      `insert into processes (token, role, host, pid, version, makes_first_attempts, started_at, alive_until, first_attempts_per_s)
        values ($1, 'api', $2, 1, '0', true, now(), now() + make_interval(secs => $3), $4)`,
      [randomUUID(), host, untilS, perS],
    );
  await beaten(hostname(), 500, 60);
  await beaten(hostname(), 70, 60);
  await beaten(hostname(), 1_000, -1);
  await beaten('another', 2_000, 60);
  await until('both are counted', () => heartbeat.firstAttemptsPerSHere === 570);
  await stage.gateway.rows('delete from processes where pid = 1', []);
});

test('a process whose session is cut keeps its claims', async () => {
  const [cut] = [await stage.alive(), await stage.alive()];
  const ids = await claimedBy(cut.claims.token, 2);
  for (const id of ids) cut.claims.hold(id);
  const before = await sessions();
  expect(before.length).toBeGreaterThanOrEqual(2);
  for (const pid of before) await breakConnection(stage.gateway.database.pool, pid);
  // Later than the cut.
  await released(await claimedBy(await deadToken(), 1));
  expect(await holders(ids)).toEqual(ids.map(() => cut.claims.token));
  const others = async () => (await sessions()).filter((pid) => !before.includes(pid));
  await until('they have other sessions', async () => (await others()).length === before.length);
  expect(cut.heartbeat.isAlive).toBe(true);
});

test('a process without a heartbeat claims nothing, and continues when it has one', async () => {
  let isAlive = false;
  const process = stage.process({ isAlive: () => isAlive });
  const account = await stage.account();
  const ids = await stage.send(account, 2);
  await stage.move(ids.slice(1), 1);
  process.link.set(stage.engines.up);
  process.firstAttempts.start();
  process.starts.start();
  process.firstAttempts.wake();
  process.starts.wake();
  // Another process claims them. If the first one had claims, they would be missing.
  expect((await claim(randomUUID())).claimed).toEqual([]);
  expect(await holders(ids)).toEqual([]);
  isAlive = true;
  process.firstAttempts.wake();
  process.starts.wake();
  await until('one is delivered', () => account.consumer.deliveries.length === 1);
  await until('the other has its workflow', async () => !(await stage.queued()).includes(ids[1] ?? ''));
});

test('an attempt whose claim is taken over before it begins is not made', async () => {
  const account = await stage.account();
  const [id = ''] = await stage.send(account, 1);
  const slow = stage.process();
  const taker = randomUUID();
  const blocker = await stage.gateway.database.pool.connect();
  try {
    // The claim does not read this table. The attempt does, and waits.
    await blocker.query('begin');
    await blocker.query('lock table events in access exclusive mode');
    slow.firstAttempts.start();
    await until('the event is claimed', async () => (await holders([id]))[0] === slow.claims.token);
    await stage.gateway.rows('update event_queue set claim_token = $1', [taker]);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  await slow.stop();
  expect(account.consumer.deliveries).toEqual([]);
  expect(await holders([id])).toEqual([taker]);
});

test('claims that were made for a process without its knowledge are released, and those it works on are not', async () => {
  const { claims } = await stage.alive();
  const [known = '', ...unknown] = await claimedBy(claims.token, 3);
  claims.hold(known);
  claims.doubt();
  await released(unknown);
  expect(await holders([known])).toEqual([claims.token]);
});

test('a claim in flight is not taken for an unknown one', async () => {
  const { claims } = stage.process();
  const answer = Promise.withResolvers<Awaited<ReturnType<typeof claim>>>();
  const claiming = claims.claim(() => answer.promise);
  let held: string[] | null = null;
  const settled = claims.settle(async (ids) => {
    held = ids;
  });
  // Claims that begin now wait until unknown ones are released.
  const next = claims.claim(async () => ({ claimed: [], next: held?.join() ?? 'too early' }));
  answer.resolve({ claimed: [{ eventId: 'one', generation: 0 }], next: null });
  await Promise.all([settled, claiming]);
  expect(held).toEqual(['one']);
  expect(await next).toEqual({ claimed: [], next: 'one' });
});

test('an attempt that cannot read its event abandons its claim, and the event is claimed again', async () => {
  const account = await stage.account();
  const { firstAttempts, claims } = await stage.alive();
  const { database } = stage.gateway;
  const [id = ''] = await stage.send(account, 1);
  await rows(database, 'alter table accounts rename column delivery_secret to renamed');
  try {
    firstAttempts.start();
    await until('the attempt has failed', () => claims.inDoubt);
    expect(account.consumer.deliveries).toEqual([]);
  } finally {
    await rows(database, 'alter table accounts rename column renamed to delivery_secret');
  }
  await until('the event is delivered', () => account.consumer.deliveries.length === 1);
  expect(account.consumer.deliveries[0]?.headers['webhook-id']).toBe(id);
});

test('commands that a dead process has claimed are taken over', async () => {
  const living = await stage.alive();
  await stage.gateway.rows(
    `insert into event_commands (event_id, kind, generation, claim_token, claimed_until)
     values ($1, 'ack', 0, $2, now() + interval '1 h'), ($1, 'ack', 0, $3, now() + interval '1 h')`,
    [randomUUID(), await deadToken(), living.claims.token],
  );
  const inForce = () => stage.gateway.rows('select claim_token from event_commands where claimed_until > now()');
  await until('one is released', async () => (await inForce()).length === 1);
  expect(await inForce()).toEqual([{ claim_token: living.claims.token }]);
});

test('a process that stops releases all its claims', async () => {
  const { claims, heartbeat } = await stage.alive();
  const ids = await claimedBy(claims.token, 2);
  await heartbeat.stop();
  expect(await holders(ids)).toEqual([]);
});
