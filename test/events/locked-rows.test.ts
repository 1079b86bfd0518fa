import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/database/sql.ts';
import type { Outcome } from '../../src/events/outcome.ts';
import { stopEvent } from '../../src/events/transitions/account-deleted.ts';
import { ack } from '../../src/events/transitions/acknowledged.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { declareDead } from '../../src/events/transitions/declared-dead.ts';
import { endCancelled } from '../../src/events/transitions/ended-by-hand.ts';
import { fail } from '../../src/events/transitions/failed.ts';
import { letDueWait, waitInQueue } from '../../src/events/transitions/queued-to-wait.ts';
import { replay } from '../../src/events/transitions/replayed.ts';
import { retry } from '../../src/events/transitions/retried.ts';
import { markStartedEvents } from '../../src/events/transitions/started.ts';
import { handBackClaims } from '../../src/processes/claim-returns.ts';
import { outcomeOf } from '../support/received.ts';
import { until } from '../support/until.ts';
import { useClient, useGateway } from '../support/use-gateway.ts';

// If a statement waits for a row that another transaction has locked, it must apply to the committed row. An UPDATE of
// a partitioned table that also names a range of ids can silently change no row in this case (PostgreSQL 18, generic
// plans).

let id: string;
const gateway = useGateway({ worker: false });
const other = useClient(gateway);
beforeEach(async () => {
  const account = await gateway.admin.createAccount({});
  id = (await gateway.send(account, '{"id":"one"}')).body.id;
});

const row = async () =>
  (
    await gateway.database.query<Record<string, unknown>>({ name: '', text: 'select * from events where id = $1' }, [
      id,
    ])
  )[0];

const changeOfEvent = 'update events set swept_at = now() where id = $1';
// Unlike a change, it leaves the row where it is, so that statements get it in the order in which they wait.
const lockOfEvent = 'select from events where id = $1 for update';
const changeOfQueued = 'update event_queue set account_id = account_id where event_id = $1';
const queued = () =>
  gateway.database.query({ name: '', text: 'select claim_token, lane from event_queue where event_id = $1' }, [id]);
const claim = {
  name: '',
  text: `update event_queue set claim_token = $2, claimed_until = 'infinity' where event_id = $1`,
};

/** Runs the statement while another transaction has locked the row and changes an unrelated column. */
const whileLocked = <T>(statement: () => Promise<T>, change = changeOfEvent): Promise<T> =>
  afterLock(change, [statement]).then(([result]) => result as T);

/** Begins the statements one after the other, each when the one before waits or has ended, while another transaction has locked a row. */
async function afterLock<T>(change: string, statements: (() => Promise<T>)[]): Promise<T[]> {
  await other.query('begin');
  await other.query(change, [id]);
  const running: Promise<T>[] = [];
  let ended = 0;
  for (const statement of statements) {
    running.push(statement().finally(() => ended++));
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const inFlight = async () => {
      // A transaction keeps the list of sessions that it has read, without one that the pool has opened since.
      await other.query('select pg_stat_clear_snapshot()');
      return (await other.query(waits)).rowCount ?? 0;
    };
    await until('the statement waits or has ended', async () => (await inFlight()) + ended === running.length);
  }
  await other.query('commit');
  return Promise.all(running);
}

/** An operator's command, in a transaction as all of them. */
const commanded = <T>(command: (sql: Sql, eventId: string) => Promise<T>) =>
  gateway.database.transaction((sql) => command(sql, id));
const dead = (sql: Sql) => declareDead(sql, id, null);
const record = (fields: Partial<Outcome>) =>
  new OutcomeRecorder(gateway.database, async () => undefined).record(outcomeOf(id, fields));

test.each([
  [500, 'pending'],
  [200, 'delivered'],
])('an attempt that was answered with %i counts', async (responseCode, deliveryStatus) => {
  const succeeded = responseCode === 200;
  const recorded = await whileLocked(() => record({ succeeded, responseCode }));
  expect(recorded).toMatchObject({ recorded: true, deliveryStatus });
  expect(await row()).toMatchObject({ attempts: 1, response_code: responseCode, delivery_status: deliveryStatus });
});

test('the start of a workflow is recorded', async () => {
  const token = randomUUID();
  await gateway.database.query(claim, [id, token]);
  await whileLocked(() => markStartedEvents(gateway.database, [{ eventId: id, generation: 0, token, runId: 'run' }]));
  expect(await row()).toMatchObject({ status: 'enqueued', started_generation: 0, run_id: 'run' });
});

test('a claim is handed back', async () => {
  const token = randomUUID();
  await gateway.database.query(claim, [id, token]);
  await whileLocked(() => handBackClaims(gateway.database, [{ eventId: id, generation: 0, token }], 5), changeOfQueued);
  expect(await queued()).toEqual([{ claim_token: null, lane: 0 }]);
});

describe('an event whose delivery an operator ends while its claim ends goes on with the settled ones', () => {
  // One of a paused consumer would otherwise wait in its lane for the end of the pause, and its commands with it.
  const handedBack = (token: string) => handBackClaims(gateway.database, [{ eventId: id, generation: 0, token }], 0);
  const attempted = (claimToken: string) => record({ succeeded: false, claimToken });
  test.each([
    ['ack, handed back', ack, handedBack],
    ['ack, attempted', ack, attempted],
    ['dead, handed back', dead, handedBack],
    ['dead, attempted', dead, attempted],
  ])('%s', async (_name, end, endClaim) => {
    const token = randomUUID();
    await gateway.database.query(claim, [id, token]);
    await afterLock<unknown>(changeOfQueued, [() => endClaim(token), () => commanded(end)]);
    expect(await queued()).toEqual([{ claim_token: null, lane: 2 }]);
  });
});

describe('a command takes effect on what the transaction that it waited for has committed', () => {
  const leaveQueue = () => gateway.rows('delete from event_queue where event_id = $1', [id]);
  const queueToWait = () =>
    waitInQueue(gateway.database, { eventId: id, generation: 0, waitsFor: 'paused', lastAttempt: 10 });

  // The event would otherwise wait for the end of the pause, or until its consumer is enabled.
  test.each([
    ['ack, queued to wait', ack, queueToWait],
    ['ack, replayed', ack, () => commanded(replay)],
    ['dead, queued to wait', dead, queueToWait],
    ['dead, replayed', dead, () => commanded(replay)],
  ])('an event that was queued goes on with the settled ones: %s', async (_name, end, queue) => {
    await leaveQueue();
    await afterLock<unknown>(lockOfEvent, [queue, () => commanded(end)]);
    expect(await row()).toMatchObject({ next_attempt_at: null, delivery_status: expect.not.stringMatching('pending') });
    expect(await queued()).toEqual([{ claim_token: null, lane: 2 }]);
  });

  test('a retry of an event that was delivered gets its workflow soon', async () => {
    const claimToken = randomUUID();
    await gateway.database.query(claim, [id, claimToken]);
    await afterLock<unknown>(lockOfEvent, [() => record({ claimToken }), () => commanded(retry)]);
    expect(await row()).toMatchObject({ delivery_status: 'delivered', manual_attempts: 1 });
    expect(await queued()).toEqual([{ claim_token: null, lane: 1 }]);
  });

  test('a retry has another number than one that was made by hand in Temporal', async () => {
    await leaveQueue();
    const byHand = { trigger: 'manual', number: 1, succeeded: false, claimToken: null } as const;
    await afterLock<unknown>(lockOfEvent, [() => record(byHand), () => commanded(retry)]);
    expect(await row()).toMatchObject({ manual_attempts: 2 });
  });

  test('a replay is kept whose event had its workflow cancelled before', async () => {
    await leaveQueue();
    const run = { eventId: id, generation: 0, isLatest: true };
    const ended = () => gateway.database.transaction((sql) => endCancelled(sql, run));
    expect(await whileLocked(ended, 'select replay_events(array[$1]::uuid[], false)')).toBeNull();
    expect(await row()).toMatchObject({ generation: 1, status: 'received', delivery_status: 'pending' });
  });
});

test('an event that was claimed for its workflow is not left to an api', async () => {
  await gateway.rows('update event_queue set lane = 1 where event_id = $1', [id]);
  await gateway.rows('update events set next_attempt_at = now() where id = $1', [id]);
  await gateway.rows(
    'update accounts set paused_since = now() where id = (select account_id from events where id = $1)',
    [id],
  );
  const token = randomUUID();
  await whileLocked(
    () => letDueWait(gateway.database, { lastAttempt: 10, limit: 500 }),
    `update event_queue set claim_token = '${token}', claimed_until = 'infinity' where event_id = $1`,
  );
  await handBackClaims(gateway.database, [{ eventId: id, generation: 0, token }], 0);
  expect(await gateway.rows('select direct, lane from event_queue where event_id = $1', [id])).toEqual([
    { direct: false, lane: 1 },
  ]);
});

test('an event is queued to wait, and its delivery ends with its account', async () => {
  const event = { eventId: id, generation: 0 };
  await whileLocked(() => waitInQueue(gateway.database, { ...event, waitsFor: 'account_disabled', lastAttempt: 10 }));
  expect(await row()).toMatchObject({ next_attempt_at: null, held_since: expect.any(Date) });
  await whileLocked(() => stopEvent(gateway.database, event));
  expect(await row()).toMatchObject({ delivery_status: 'failed', last_error: 'account_deleted' });
});

test('ack, fail, replay and retry apply', async () => {
  await whileLocked(() => fail(gateway.database, id, 'told'));
  expect(await row()).toMatchObject({ status: 'failed', last_error: 'told' });
  await whileLocked(() => retry(gateway.database, id));
  expect(await row()).toMatchObject({ manual_attempts: 1 });
  await whileLocked(() => replay(gateway.database, id));
  expect(await row()).toMatchObject({ generation: 1, status: 'received' });
  await whileLocked(() => ack(gateway.database, id));
  expect(await row()).toMatchObject({ status: 'processed', delivery_status: 'delivered' });
});
