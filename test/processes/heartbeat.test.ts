import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { applicationName } from '../../src/database/application-name.ts';
import { claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { QueueWrites } from '../../src/engine/queue-writes.ts';
import { lowestId } from '../../src/events/queue.ts';
import { ClaimReturns } from '../../src/processes/claim-returns.ts';
import type { HeldClaims } from '../../src/processes/held-claims.ts';
import { breakConnection } from '../support/break-connection.ts';
import { threeIdleRounds } from '../support/idle-rounds.ts';
import { queryOnce } from '../support/one-connection.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';

const stage = useQueueStage();

/** Queued events that only need their workflow. */
async function settled(count: number): Promise<string[]> {
  const ids = await stage.send(await stage.account(), count);
  await stage.move(ids, 2);
  return ids;
}
/** Such events, claimed by a token. */
const claimedBy = async (token: string, count: number) => claimAll(token, await settled(count));
async function claimAll(token: string, ids: string[]): Promise<string[]> {
  const { claimed } = await claim(token);
  expect(claimed.map(({ eventId }) => eventId).sort()).toEqual(ids);
  return ids;
}
/** Such events, which a process works on. It holds them before they are claimed: it ends claims that it does not know. */
async function heldBy({ claims }: { claims: HeldClaims }, count: number): Promise<string[]> {
  const ids = await settled(count);
  for (const id of ids) claims.hold(id);
  return claimAll(claims.token, ids);
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
  const text = 'select pid from pg_stat_activity where datname = current_database() and application_name = $1';
  return (await stage.gateway.rows(text, [applicationName(' relay')])).map(({ pid }) => pid);
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
  const ids = await heldBy(dead, 4);
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
  const [first, second] = [await heldBy(one, 2), await heldBy(other, 2)];
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
  const { heartbeat, claims } = await stage.alive();
  const { databaseUrl, database } = stage.gateway;
  const text = 'select alive_until::text as until from processes where token = $1';
  const written = async () => (await queryOnce<{ until: string }>(databaseUrl, text, [claims.token]))[0]?.until;
  const { pool } = database;
  const busy = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  try {
    const before = await written();
    await until('there is another heartbeat', async () => (await written()) !== before);
    await until('it counts as alive', () => heartbeat.isAlive);
  } finally {
    for (const each of busy) each.release();
  }
});

test('a process whose session is cut keeps its claims', async () => {
  const [cut] = [await stage.alive(), await stage.alive()];
  const ids = await heldBy(cut, 2);
  const before = await until('only the sessions of both are left', async () => {
    const found = await sessions();
    return found.length === 2 && found;
  });
  for (const pid of before) await breakConnection(stage.gateway.database.pool, pid);
  // Later than the cut.
  await released(await claimedBy(await deadToken(), 1));
  expect(await holders(ids)).toEqual(ids.map(() => cut.claims.token));
  const others = async () => (await sessions()).filter((pid) => !before.includes(pid));
  await until('they have other sessions', async () => (await others()).length === before.length);
  await until('it counts as alive', () => cut.heartbeat.isAlive);
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
  await threeIdleRounds();
  expect(await holders(ids)).toEqual([]);
  expect(await stage.queued()).toEqual(ids);
  expect(account.consumer.deliveries).toEqual([]);
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
  const [known = '', ...unknown] = await settled(3);
  claims.hold(known);
  await claimAll(claims.token, [known, ...unknown]);
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
