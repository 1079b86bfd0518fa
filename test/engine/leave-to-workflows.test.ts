import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { WorkflowDispatcher } from '../../src/engine/dispatcher.ts';
import { LeavingToWorkflows } from '../../src/engine/leave-to-workflows.ts';
import { workflowId } from '../../src/engine/workflow-engine.ts';
import { lanes } from '../../src/events/lanes.ts';
import { pauseDelivery, resumeDelivery } from '../../src/events/pause.ts';
import { countProcesses } from '../../src/processes/process-rows.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import type { Delivery } from '../support/consumer.ts';
import { proxyTo } from '../support/proxy-to.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { log } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

// A worker leaves first attempts to the workflows while no api makes them. No Temporal worker polls the task queue of
// this stage, so a workflow that is started makes no attempt here, and each delivery is that of an api.

const stage = useQueueStage();

const { firstAttempt, pendingStart } = lanes;

const idsOf = (deliveries: Delivery[]) => deliveries.map(({ headers }) => headers['webhook-id']);
const laneOf = async (id: string): Promise<{ lane: number; claim_token: string | null } | undefined> => {
  const of = 'select lane, claim_token from event_queue where event_id = $1';
  const [row] = await stage.gateway.rows(of, [id]);
  return row && { lane: row.lane, claim_token: row.claim_token };
};
/** With how many attempts before it the workflow of an event was started; null while there is none. */
const attemptsBefore = (id: string): Promise<number | null> =>
  stage.workflow
    .getHandle(workflowId(id))
    .fetchHistory()
    .then(
      ({ events }) => {
        const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
        return input ? JSON.parse(Buffer.from(input).toString()).resume.attempts : null;
      },
      () => null,
    );
const hasWorkflow = (id: string) => until('its workflow is started', async () => (await attemptsBefore(id)) !== null);

/**
 * A worker, and what tells that it has looked again whether first attempts are made, and acted upon it: it looks as often
 * as it has a heartbeat, so within three heartbeats.
 */
function worker(options: { patienceMs?: number } = {}): { dispatcher: WorkflowDispatcher; looked(): Promise<void> } {
  const dispatcher = stage.workflowDispatcher({ patienceMs: options.patienceMs ?? 0 });
  const lastBeat = async (): Promise<number> =>
    (
      await stage.gateway.rows(`select max(alive_until) as at from processes where role = 'worker'`)
    )[0]?.at?.getTime() ?? 0;
  return {
    dispatcher,
    async looked() {
      for (let beats = 0; beats < 3; beats += 1) {
        const before = await lastBeat();
        await until('it has another heartbeat', async () => (await lastBeat()) > before);
      }
    },
  };
}
const apiAlive = () =>
  until('an api says that it makes them', async () => (await countProcesses(stage.gateway.database)).delivering > 0);

test('without an api, an event gets its workflow before any attempt', async () => {
  const account = await stage.account();
  const ids = await stage.send(account, 3);
  worker().dispatcher.setEngine(stage.engines.up);
  for (const id of ids) {
    await hasWorkflow(id);
    expect(await attemptsBefore(id)).toBe(0);
  }
  await until('the queue is empty', async () => (await stage.queued()).length === 0);
  expect(account.consumer.deliveries).toEqual([]);
});

test('while an api is alive, events that wait in the queue are left to no workflow', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const account = await stage.account((response: ServerResponse) => void released.then(() => response.end()));
  stage.attemptRelay({ accountConcurrency: 1 });
  await apiAlive();
  const { dispatcher, looked } = worker();
  dispatcher.setEngine(stage.engines.up);
  const ids = await stage.send(account, 3);
  await until('the first one arrives', () => account.consumer.deliveries.length === 1);
  await looked();
  // The consumer is slow, so the api has not even claimed the others.
  for (const id of ids.slice(1)) expect(await laneOf(id)).toEqual({ lane: firstAttempt, claim_token: null });
  release();
  await until('all are delivered', () => account.consumer.deliveries.length === 3);
  expect(idsOf(account.consumer.deliveries)).toEqual(ids);
});

test('events wait for an api that restarts before a worker leaves them to workflows', async () => {
  const account = await stage.account();
  const { dispatcher, looked } = worker({ patienceMs: 600_000 });
  dispatcher.setEngine(stage.engines.up);
  const [id = ''] = await stage.send(account, 1);
  await looked();
  expect(await laneOf(id)).toEqual({ lane: firstAttempt, claim_token: null });
  stage.attemptRelay();
  await until('it is delivered', () => account.consumer.deliveries.length === 1);
});

test('during a pause nothing is left to workflows, and afterwards it is', async () => {
  const account = await stage.account();
  await pauseDelivery(stage.gateway.database, '');
  onTestFinished(async () => {
    await resumeDelivery(stage.gateway.database);
  });
  const { dispatcher, looked } = worker();
  dispatcher.setEngine(stage.engines.up);
  const [id = ''] = await stage.send(account, 1);
  await looked();
  expect(await laneOf(id)).toEqual({ lane: firstAttempt, claim_token: null });
  await resumeDelivery(stage.gateway.database);
  await hasWorkflow(id);
});

test('while an api works on an event, a worker that sees no api leaves it alone', async () => {
  const account = await stage.account();
  const [id = ''] = await stage.send(account, 1);
  const token = randomUUID();
  await stage.gateway.rows(
    `insert into processes (token, role, host, pid, version, makes_first_attempts, started_at, alive_until, first_attempts_per_s)
     values ($1, 'api', 'elsewhere', 1, '1', false, now(), 'infinity', 0)`,
    [token],
  );
  const claim = `update event_queue set claim_token = $1, claimed_until = 'infinity'`;
  await stage.gateway.rows(claim, [token]);
  const { dispatcher, looked } = worker();
  dispatcher.setEngine(stage.engines.up);
  await looked();
  expect(await laneOf(id)).toEqual({ lane: firstAttempt, claim_token: token });
  // Without a heartbeat, its claim is ended, and then a workflow makes the attempt.
  await stage.gateway.rows('update processes set alive_until = now() where token = $1', [token]);
  await hasWorkflow(id);
});

test('while Temporal is away nothing is left to workflows, and an api that comes back makes the attempts', async () => {
  const account = await stage.account();
  const ids = await stage.send(account, 3);
  const { dispatcher, looked } = worker();
  // The worker was connected, and has made no call that would have told it.
  dispatcher.setEngine(stage.engines.refusing);
  await looked();
  for (const id of ids) expect(await laneOf(id)).toEqual({ lane: firstAttempt, claim_token: null });
  stage.attemptRelay();
  await until('all are delivered', () => account.consumer.deliveries.length === 3);
  expect(idsOf(account.consumer.deliveries).toSorted()).toEqual(ids);
  dispatcher.setEngine(stage.engines.up);
  for (const id of ids) {
    await hasWorkflow(id);
    expect(await attemptsBefore(id)).toBe(1);
  }
});

test('only events that wait for their first attempt are left to workflows', async () => {
  const ids = await stage.send(await stage.account(), 3);
  await stage.move(ids.slice(1, 2), 1);
  await stage.move(ids.slice(2), 2);
  const since = 'select event_id, lane, lane_since from event_queue order by event_id';
  const before = await stage.gateway.rows(since);
  const { promise: left, resolve } = Promise.withResolvers<void>();
  const leaving = new LeavingToWorkflows({
    ...{ sql: stage.gateway.database, log, patienceMs: 0 },
    isAlive: () => true,
    firstAttemptsAreMade: () => false,
    temporalAnswers: async () => true,
    onLeft: resolve,
  });
  leaving.start();
  await left;
  await leaving.stop();
  const [first, ...others] = await stage.gateway.rows(since);
  expect(first).toMatchObject({ event_id: ids[0], lane: pendingStart });
  // Since when its workflow waits to be started.
  expect(first?.lane_since > before[0]?.lane_since).toBe(true);
  expect(others).toEqual(before.slice(1));
});

/** A connection to Temporal that a test can cut. */
async function cuttable() {
  const { proxy, address } = await proxyTo(`http://${stage.gateway.temporal.address}`);
  const connection = await forTest(connectTemporal({ ...stage.gateway.temporal, address }));
  return { proxy, engine: stage.engineOn(connection) };
}

test('when Temporal is back, events are left to workflows although no start was to be tried again', async () => {
  const account = await stage.account();
  const { proxy, engine } = await cuttable();
  const { dispatcher } = worker();
  dispatcher.setEngine(engine);
  proxy.begin({ kind: 'cut' });
  const [settled = ''] = await stage.send(account, 1);
  await stage.move([settled], 2);
  await until('its start has failed', async () => {
    const [row] = await stage.gateway.rows('select claim_token, claimed_until from event_queue');
    return row?.claimed_until && row.claim_token === null;
  });
  // As if its day was dropped.
  await stage.gateway.rows('delete from event_queue');
  proxy.end();
  const [id = ''] = await stage.send(account, 1);
  await hasWorkflow(id);
  // A call to a Temporal that resets its connections fails after about 10 s.
});

test('an event that was left to its workflow is attempted by no api, although its start has failed', async () => {
  const account = await stage.account();
  const { dispatcher } = worker();
  dispatcher.setEngine(stage.engines.invalid);
  const [left = ''] = await stage.send(account, 1);
  await until('its start has failed', async () => {
    const [row] = await stage.gateway.rows('select lane, claim_token, claimed_until from event_queue');
    return row?.lane === pendingStart && row.claimed_until && row.claim_token === null;
  });
  stage.attemptRelay();
  await apiAlive();
  const [later = ''] = await stage.send(account, 1);
  await until('the api has delivered a later event', () => account.consumer.deliveries.length === 1);
  await until('it waits for its workflow', async () => (await laneOf(later))?.lane !== firstAttempt);
  expect((await laneOf(left))?.lane).toBe(pendingStart);
  dispatcher.setEngine(stage.engines.up);
  await hasWorkflow(left);
  expect(await attemptsBefore(left)).toBe(0);
  expect(idsOf(account.consumer.deliveries)).toEqual([later]);
});

test('when an api is back, it makes the first attempts again', async () => {
  const account = await stage.account();
  const { dispatcher, looked } = worker();
  dispatcher.setEngine(stage.engines.up);
  const [left = ''] = await stage.send(account, 1);
  await hasWorkflow(left);
  stage.attemptRelay();
  await apiAlive();
  await looked();
  const ids = await stage.send(account, 5);
  await until('all are delivered', () => account.consumer.deliveries.length === 5);
  expect(idsOf(account.consumer.deliveries).toSorted()).toEqual(ids);
  for (const id of ids) {
    await hasWorkflow(id);
    expect(await attemptsBefore(id)).toBe(1);
  }
});

test('events of a paused consumer wait for the api also while there is none', async () => {
  const { rows } = stage.gateway;
  const [paused, other] = [await stage.account(), await stage.account()];
  const [held = ''] = await stage.send(paused, 1);
  await rows('update accounts set paused_since = now() where id = $1', [paused.id]);
  const [sent = ''] = await stage.send(other, 1);
  worker().dispatcher.setEngine(stage.engines.up);
  // Its account was created later, so that it would be the second to be left.
  await hasWorkflow(sent);
  expect(await laneOf(held)).toEqual({ lane: firstAttempt, claim_token: null });
  await rows('update accounts set paused_since = null where id = $1', [paused.id]);
  await hasWorkflow(held);
});
