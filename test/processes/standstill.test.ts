import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Sql, Statement } from '../../src/database/sql.ts';
import { claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { lowestId } from '../../src/events/queue.ts';
import { Heartbeat } from '../../src/processes/heartbeat.ts';
import { HeldClaims } from '../../src/processes/held-claims.ts';
import { queryLimitMs } from '../../src/processes/listener.ts';
import { beatS } from '../../src/processes/process-rows.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { log } from '../support/runtime.ts';
import { until } from '../support/until.ts';

const stage = useQueueStage();

/** The row of a process that this test keeps alive. */
async function otherRow(alive: string): Promise<string> {
  const token = randomUUID();
  await stage.gateway.rows(
    `insert into processes (token, role, host, pid, version, makes_first_attempts, started_at, alive_until, first_attempts_per_s)
     values ($1, 'api', 'elsewhere', 1, '0', true, now(), now() + $2::interval, 0)`,
    [token, alive],
  );
  return token;
}

/** Such a process, and its claim of an event. */
async function otherProcess(alive: string): Promise<{ token: string; event: string }> {
  const token = await otherRow(alive);
  await queueEvent();
  const { claimed } = await claim(token);
  return { token, event: claimed[0]?.eventId ?? '' };
}

/** Queues an event that only needs its workflow. */
const queueEvent = async () => stage.move(await stage.send(await stage.account(), 1), 2);
const claim = (token: string) =>
  claimSettledForStart(stage.gateway.database, { all: true, after: lowestId, limit: 1, token });

async function holderOf(event: string): Promise<string | undefined> {
  const [row] = await stage.gateway.rows(
    'select claim_token from event_queue where event_id = $1 and claimed_until > now()',
    [event],
  );
  return row?.claim_token;
}

/** Sets until when a process counts as alive, from now. */
const lives = (token: string, interval: string) =>
  stage.gateway.rows('update processes set alive_until = now() + $2::interval where token = $1', [token, interval]);

/** A heartbeat that calls `before` with the name of each of its statements, and with what sends it, before it sends it. */
async function heartbeatWith(
  before: (name: string, send: () => Promise<unknown>) => Promise<void>,
  claims = new HeldClaims(),
): Promise<Heartbeat> {
  const heartbeat = new Heartbeat({
    ...{ claims, log, beatMs: 50, role: 'api', makesFirstAttempts: true },
    begun: () => 0,
    onClaimable: () => undefined,
  });
  const sql: Sql = {
    async query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) {
      const send = () => stage.gateway.database.query<Row>(statement, values);
      await before(statement.name, send);
      return send();
    },
  };
  await heartbeat.opened(sql);
  heartbeat.start();
  onTestFinished(() => heartbeat.stop());
  return heartbeat;
}

test('a claim that PostgreSQL answers late delays no heartbeat', async () => {
  const { claims } = await stage.alive();
  const answer = Promise.withResolvers<{ claimed: []; next: null }>();
  const late = claims.claim(() => answer.promise);
  claims.doubt();
  await until('its claims wait for the late one, to be compared', () => claims.isSettling);
  const aliveUntil = async (): Promise<Date> =>
    (await stage.gateway.rows('select alive_until from processes where token = $1', [claims.token]))[0]?.alive_until;
  const first = await aliveUntil();
  // The next one may have been sent before.
  await until(
    'three more heartbeats',
    async () => (await aliveUntil()).getTime() > first.getTime() + 2 * beatS * 1_000,
  );
  expect(claims.isSettling).toBe(true);
  answer.resolve({ claimed: [], next: null });
  await late;
});

test('after a standstill of all, a process lets the others write their rows before it judges them', async () => {
  const { heartbeat } = await stage.alive();
  const dead = await otherProcess('0 s');
  await until('its first claims of others are ended', async () => (await holderOf(dead.event)) === undefined);

  const living = await otherProcess('1 h');
  // It dies during the standstill.
  await lives(living.token, '5 s');
  // As when the machine is suspended: no timer runs, and the rows become old.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
  expect(heartbeat.isAlive).toBe(false);
  await until('it is alive again', () => heartbeat.isAlive);
  await lives(living.token, '1 h');

  const later = await otherProcess('0 s');
  await until('it judges again', async () => (await holderOf(later.event)) === undefined);
  expect(await holderOf(living.event)).toBe(living.token);
});

test.each(['heartbeat', 'end_claims_of_dead'])(
  'a statement %s that a standstill held up ends no claims of processes whose heartbeats come later',
  async (name) => {
    let late: string | null = null;
    let stoodStill = false;
    const claims = new HeldClaims();
    const heartbeat = await heartbeatWith(async (statement) => {
      if (stoodStill && statement === 'heartbeat') {
        await lives(living.token, '1 h');
        stoodStill = false;
      }
      if (statement !== late) return;
      await until('its last heartbeat counts no more', () => !heartbeat.isAlive);
      // PostgreSQL may have had the heartbeat later than it was sent.
      await lives(claims.token, '0 s');
      await lives(living.token, '0 s');
      stoodStill = true;
      late = null;
    }, claims);
    const living = await otherProcess('1 h');
    const dead = await otherProcess('0 s');
    await until('its first claims of others are ended', async () => (await holderOf(dead.event)) === undefined);

    late = name;
    await until('the others had the time to write their rows', async () => {
      // Claims of others are looked for while the row of a dead one is left: for 15 s.
      await otherRow('0 s');
      return late === null && !stoodStill;
    });
    const later = await otherProcess('0 s');
    await until('it judges again', async () => (await holderOf(later.event)) === undefined);
    expect(await holderOf(living.event)).toBe(living.token);
  },
);

test('a statement that was given up and is carried out later ends no claim that the process has made since', async () => {
  const claims = new HeldClaims();
  const late: (() => Promise<unknown>)[] = [];
  await heartbeatWith(async (name, send) => {
    if (name !== 'end_own_claims' || late.length > 0) return;
    late.push(send);
    throw new Error('Query read timeout');
  }, claims);
  claims.doubt();
  await until('it is given up', () => late.length === 1);
  await queueEvent();
  const { claimed } = await claims.claim(() => claim(claims.token));
  const [{ eventId = '' } = {}] = claimed;
  // The session gives up a statement after this time.
  await sleep(queryLimitMs);
  await late[0]?.();
  expect(await holderOf(eventId)).toBe(claims.token);
});
