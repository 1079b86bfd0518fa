import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/database/sql.ts';
import { claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { lowestId } from '../../src/events/queue.ts';
import { firstAttemptsAreMade } from '../../src/processes/claim-owners.ts';
import { Listener } from '../../src/processes/listener.ts';
import { Takeover } from '../../src/processes/takeover.ts';
import { breakConnection } from '../support/break-connection.ts';
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

/** Short, for processes whose sessions do not break in the test. */
const graceMs = 100;

/** Queued events that only need their workflow, claimed for a minute by a token. */
async function claimedBy(token: string, count: number): Promise<string[]> {
  const ids = await stage.send(await stage.account(), count);
  await stage.move(ids, 2);
  const { claimed } = await claim(token);
  expect(claimed.map(({ eventId }) => eventId).sort()).toEqual(ids);
  return ids;
}
const claim = (token: string) =>
  claimSettledForStart(stage.gateway.database, { after: lowestId, limit: 10, token, leaseS: 60 });
/** The tokens of those events whose lease is in force, in the order of the ids. */
const holders = async (ids: string[]): Promise<string[]> =>
  (
    await rows(
      stage.gateway.database,
      'select claim_token from event_queue where event_id = any($1) and claimed_until > now() order by event_id',
      [ids],
    )
  ).map(({ claim_token }) => claim_token);
const released = (ids: string[]) => until('the leases have ended', async () => (await holders(ids)).length === 0);

/** The server's process of the session that holds the lock of a token. */
async function sessionOf(token: string): Promise<number> {
  const [lock] = await rows(
    stage.gateway.database,
    `select pid from pg_locks where locktype = 'advisory' and lpad(to_hex(objid::bigint), 8, '0') = left($1, 8)`,
    [token],
  );
  return lock?.pid;
}

test('the events of a process whose session has ended can be claimed in their order, long before their leases end', async () => {
  const [dead, living] = [await stage.alive(), await stage.alive({ graceMs })];
  const ids = await claimedBy(dead.leases.token, 4);
  await dead.session.stop();
  await released(ids);
  const { claimed } = await claimSettledForStart(stage.gateway.database, {
    ...{ after: lowestId, limit: 3 },
    ...{ token: living.leases.token, leaseS: 60 },
  });
  expect(claimed.map(({ eventId }) => eventId).sort()).toEqual(ids.slice(0, 3));
}, 30_000);

test('a process that starts ends the leases of processes that died before', async () => {
  const ids = await claimedBy(randomUUID(), 2);
  await stage.alive({ graceMs });
  await released(ids);
}, 30_000);

test('the claims of a living process stay, while those of a dead one are taken over', async () => {
  const [one, other] = [await stage.alive({ graceMs }), await stage.alive({ graceMs })];
  const [first, second] = [await claimedBy(one.leases.token, 2), await claimedBy(other.leases.token, 2)];
  // A process that starts looks at all claims.
  const dead = await claimedBy(randomUUID(), 1);
  await stage.alive({ graceMs });
  await released(dead);
  expect(await holders([...first, ...second])).toEqual([
    ...first.map(() => one.leases.token),
    ...second.map(() => other.leases.token),
  ]);
}, 30_000);

test('a process whose session is cut gets its lock again and keeps its claims', async () => {
  // With the real grace, in which a process reconnects even on a busy machine.
  const [cut] = [await stage.alive(), await stage.alive()];
  const ids = await claimedBy(cut.leases.token, 2);
  for (const id of ids) cut.leases.hold(id);
  const pid = await sessionOf(cut.leases.token);
  await breakConnection(stage.gateway.database.pool, pid);
  // The other process sees this claim later than the cut, so its grace ends later.
  const dead = await claimedBy(randomUUID(), 1);
  await released(dead);
  expect(await holders(ids)).toEqual(ids.map(() => cut.leases.token));
  await until('the process holds its lock', () => cut.takeover.holdsLock);
  expect(await sessionOf(cut.leases.token)).not.toBe(pid);
}, 60_000);

test('a process whose lock was released behind its back gets it again', async () => {
  let session: Sql | null = null;
  const { leases } = stage.process();
  const takeover = new Takeover({
    ...{ leases, log, lookMs: 50, makesFirstAttempts: true },
    onClaimable: () => undefined,
  });
  const listener = new Listener({
    ...{ url: stage.gateway.databaseUrl, handlers: {}, log },
    user: {
      async opened(sql) {
        await takeover.opened(sql);
        session = sql;
      },
      lost: () => takeover.lost(),
    },
  });
  listener.start();
  try {
    const sql = await until('the session is open', () => session);
    const pid = await sessionOf(leases.token);
    // As a pooler does that resets sessions between transactions.
    await sql.query({ name: '', text: 'select pg_advisory_unlock_all()' }, []);
    expect(await sessionOf(leases.token)).toBeUndefined();
    takeover.start();
    await until('the lock is held', async () => (await sessionOf(leases.token)) === pid);
    await until('it says that it makes first attempts', () => firstAttemptsAreMade(stage.gateway.database));
    expect(takeover.holdsLock).toBe(true);
  } finally {
    await takeover.stop();
    await listener.stop();
  }
}, 30_000);

test.each([true, false])(
  'while the session of a process lives, others see whether it makes first attempts: %s',
  async (makesFirstAttempts) => {
    expect(await firstAttemptsAreMade(stage.gateway.database)).toBe(false);
    const { session } = await stage.alive({ makesFirstAttempts });
    expect(await firstAttemptsAreMade(stage.gateway.database)).toBe(makesFirstAttempts);
    await session.stop();
    await until('no process makes them', async () => !(await firstAttemptsAreMade(stage.gateway.database)));
  },
);

test('a process without its lock claims nothing, and continues when it has the lock', async () => {
  let holds = false;
  const process = stage.process({ holdsLock: () => holds });
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
  holds = true;
  process.firstAttempts.wake();
  process.starts.wake();
  await until('one is delivered', () => account.consumer.deliveries.length === 1);
  await until('the other has its workflow', async () => !(await stage.queued()).includes(ids[1] ?? ''));
}, 30_000);

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
    await until('the event is claimed', async () => (await holders([id]))[0] === slow.leases.token);
    await rows(stage.gateway.database, 'update event_queue set claim_token = $1', [taker]);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  await slow.stop();
  expect(account.consumer.deliveries).toEqual([]);
  expect(await holders([id])).toEqual([taker]);
}, 30_000);

test('claims that were made for a process without its knowledge are released, and those it works on are not', async () => {
  const { leases } = await stage.alive();
  const [known = '', ...unknown] = await claimedBy(leases.token, 3);
  leases.hold(known);
  leases.doubt();
  await released(unknown);
  expect(await holders([known])).toEqual([leases.token]);
}, 30_000);

test('a claim in flight is not taken for an unknown one', async () => {
  const { leases } = stage.process();
  const answer = Promise.withResolvers<Awaited<ReturnType<typeof claim>>>();
  const claiming = leases.claim(() => answer.promise);
  let held: string[] | null = null;
  const settled = leases.settle(async (ids) => {
    held = ids;
  });
  // Claims that begin now wait until unknown ones are released.
  const next = leases.claim(async () => ({ claimed: [], next: held?.join() ?? 'too early' }));
  answer.resolve({ claimed: [{ eventId: 'one', accountId: 'its', generation: 0 }], next: null });
  await Promise.all([settled, claiming]);
  expect(held).toEqual(['one']);
  expect(await next).toEqual({ claimed: [], next: 'one' });
});

test('an attempt that cannot read its event abandons its claim, and the event is claimed again', async () => {
  const account = await stage.account();
  const { firstAttempts, leases } = await stage.alive();
  const { database } = stage.gateway;
  const [id = ''] = await stage.send(account, 1);
  await rows(database, 'alter table accounts rename column delivery_secret to renamed');
  try {
    leases.start();
    firstAttempts.start();
    await until('the attempt has failed', () => leases.inDoubt);
    expect(account.consumer.deliveries).toEqual([]);
  } finally {
    await rows(database, 'alter table accounts rename column renamed to delivery_secret');
  }
  await until('the event is delivered', () => account.consumer.deliveries.length === 1);
  expect(account.consumer.deliveries[0]?.headers['webhook-id']).toBe(id);
}, 30_000);

test('commands that a dead process has claimed are taken over', async () => {
  const living = await stage.alive({ graceMs });
  await rows(
    stage.gateway.database,
    `insert into event_commands (event_id, kind, generation, claim_token, claimed_until)
     values ($1, 'ack', 0, $2, now() + interval '1 h'), ($1, 'ack', 0, $3, now() + interval '1 h')`,
    [randomUUID(), randomUUID(), living.leases.token],
  );
  const inForce = () =>
    rows(stage.gateway.database, 'select claim_token from event_commands where claimed_until > now()');
  await until('one is released', async () => (await inForce()).length === 1);
  expect(await inForce()).toEqual([{ claim_token: living.leases.token }]);
}, 30_000);

test('a process that stops releases all its claims', async () => {
  const { leases, takeover } = await stage.alive();
  const ids = await claimedBy(leases.token, 2);
  await takeover.stop();
  expect(await holders(ids)).toEqual([]);
}, 30_000);
