import { availableParallelism } from 'node:os';
import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { claimWaitedForAttempt } from '../../src/attempts/claim.ts';
import { claimPendingForStart } from '../../src/engine/claim-starts.ts';
import { workflowId } from '../../src/engine/workflow-engine.ts';
import { AttemptReader } from '../../src/events/attempt-row.ts';
import { lowestId } from '../../src/events/queue.ts';
import { threeIdleRounds } from '../support/idle-rounds.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { until } from '../support/until.ts';
import { replayBeforeRead } from './replay-before-read.ts';

const stage = useQueueStage();

/** Stores events that only need their workflow. */
async function moved(lane: 1 | 2, count: number): Promise<string[]> {
  const ids = await stage.send(await stage.account(), count);
  await stage.move(ids, lane);
  return ids;
}

/** The status of a workflow; null if it was not started. A call that Temporal does not answer in time is repeated. */
async function started(id: string): Promise<string | null> {
  const handle = stage.workflow.getHandle(workflowId(id));
  const { status } = await until(
    'Temporal describes the workflow',
    () =>
      handle.describe().then(
        ({ status: { name } }) => ({ status: name }),
        (error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return { status: null };
          throw error;
        },
      ),
    { retryErrors: true },
  );
  return status;
}
const emptied = () => until('the queue is empty', async () => (await stage.queued()).length === 0);
const claims = (): Promise<{ event_id: string; claim_token: string | null }[]> =>
  stage.gateway.database.query(
    { name: '', text: 'select event_id, claim_token from event_queue where claimed_until is not null' },
    [],
  );

test('two processes start each workflow once, and delete its event from the queue', async () => {
  const ids = [...(await moved(1, 6)), ...(await moved(2, 6))];
  const both = [stage.process(), stage.process()];
  for (const { link, starts } of both) {
    link.set(stage.engines.up);
    starts.start();
  }
  await emptied();
  for (const id of ids) {
    const { events } = await stage.workflow.getHandle(workflowId(id)).fetchHistory();
    expect(events?.filter(({ workflowExecutionStartedEventAttributes: of }) => of)).toHaveLength(1);
  }
  expect(await Promise.all(ids.map(started))).toEqual(ids.map((_, n) => (n < 6 ? 'RUNNING' : 'COMPLETED')));
  const noted = await stage.gateway.rows('select started_generation from events where id = any($1)', [ids]);
  expect(noted.map(({ started_generation }) => started_generation)).toEqual(ids.map(() => 0));
});

test('a claim takes the oldest events of an account first', async () => {
  const ids = await moved(1, 6);
  const { claims } = stage.process();
  const { claimed } = await claimPendingForStart(stage.gateway.database, {
    waited: false,
    ...{ after: lowestId, limit: 3, token: claims.token },
  });
  expect(claimed.map(({ eventId }) => eventId).sort()).toEqual(ids.slice(0, 3));
});

test('without a connection to Temporal no event is claimed, and all start once there is one', async () => {
  const ids = await moved(1, 3);
  const { link, starts } = stage.process();
  starts.start();
  starts.wake();
  await threeIdleRounds();
  expect(await claims()).toEqual([]);
  expect(await stage.queued()).toEqual(ids);
  link.set(stage.engines.up);
  starts.wake();
  await emptied();
  expect(await Promise.all(ids.map(started))).toEqual(ids.map(() => 'RUNNING'));
});

test('an event whose start fails is handed back, and its workflow starts when Temporal is available', async () => {
  const ids = await moved(1, 2);
  const { link, starts } = stage.process();
  link.set(stage.engines.refusing);
  starts.start();
  // The event waits for its next try, and no process holds its claim.
  await until('a start has failed', async () => (await claims()).some(({ claim_token }) => claim_token === null));
  expect(await Promise.all(ids.map(started))).toEqual([null, null]);
  link.set(stage.engines.up);
  starts.wake();
  await emptied();
  expect(await Promise.all(ids.map(started))).toEqual(['RUNNING', 'RUNNING']);
});

/** An event whose next attempt an api could make, as after a pause during which the attempt was due. */
async function waited(): Promise<string> {
  const [id = ''] = await moved(1, 1);
  await stage.gateway.rows('update events set next_attempt_at = null where id = $1', [id]);
  await stage.gateway.rows('update event_queue set direct = true where event_id = $1', [id]);
  return id;
}

test('a claim for the start of a workflow does not count as an attempt of an api', async () => {
  const id = await waited();
  const { database } = stage.gateway;
  const claim = { after: lowestId, limit: 1, token: stage.process().claims.token, waited: true };
  expect((await claimPendingForStart(database, claim)).claimed).toEqual([{ eventId: id, generation: 0 }]);
  const read = await new AttemptReader(database).read({ eventId: id, generation: 0, trigger: 'schedule', number: 2 });
  expect(read).toMatchObject({ relayAttempting: false, claimToken: claim.token });
});

test('an event whose start fails waits for its workflow, also when an api could make its attempt', async () => {
  const id = await waited();
  const { link, starts, claims: held } = stage.process();
  link.set(stage.engines.refusing);
  starts.start();
  await until('a start has failed', async () => (await claims()).some(({ claim_token }) => claim_token === null));
  await starts.stop();
  await stage.gateway.rows('update event_queue set claimed_until = null where event_id = $1', [id]);
  const room = { of: new Map(), others: 1 };
  const claim = { after: lowestId, room, limit: 1, token: held.token };
  expect((await claimWaitedForAttempt(stage.gateway.database, claim)).claimed).toEqual([]);
});

test('while Temporal is away, an event whose attempt an api could make is not claimed for its workflow', async () => {
  const [direct = '', other = ''] = await moved(1, 2);
  await stage.gateway.rows('update event_queue set direct = true where event_id = $1', [direct]);
  const { link, starts } = stage.process();
  link.set(stage.engines.refusing);
  await expect(link.call((engine) => engine.ping())).rejects.toThrow();
  starts.start();
  const queued = async (id: string) =>
    (
      await stage.gateway.rows('select direct, claim_token, claimed_until from event_queue where event_id = $1', [id])
    )[0];
  await until('the start of the other event has failed', async () => {
    const row = await queued(other);
    return row?.claimed_until && row.claim_token === null;
  });
  expect(await queued(direct)).toEqual({ direct: true, claim_token: null, claimed_until: null });
});

test('a replay between the claim and the start of its workflow leaves the first attempt to an api', async () => {
  const [id = ''] = await moved(1, 1);
  const replayed = replayBeforeRead(stage.gateway.admin, id);
  const { link, starts, stop } = stage.process();
  link.set(stage.engines.up);
  starts.start();
  await replayed;
  await stop();
  expect(await started(id)).toBeNull();
  const queued = await stage.gateway.rows('select generation, lane, claim_token from event_queue');
  expect(queued).toEqual([{ generation: 1, lane: 0, claim_token: null }]);
});

test('with on_retry, a pending event among the settled ones gets its workflow', async () => {
  const [settled = ''] = await moved(2, 1);
  const [pending = ''] = await stage.send(await stage.account(), 1);
  // As after a replay that was committed while the event was left to its workflow.
  await stage.gateway.rows('update event_queue set lane = 2 where event_id = $1', [pending]);
  const { link, starts } = stage.process({ workflows: 'on_retry' });
  link.set(stage.engines.up);
  starts.start();
  await emptied();
  expect([await started(settled), await started(pending)]).toEqual([null, 'RUNNING']);
});

test('a process that stops waits for the starts in flight', async () => {
  const ids = await moved(2, 8);
  const { link, starts, stop, claims: held } = stage.process();
  link.set(stage.engines.up);
  starts.start();
  await until('a claim is made', async () => (await claims()).length > 0 || (await stage.queued()).length < ids.length);
  await stop();
  expect((await claims()).filter(({ claim_token }) => claim_token === held.token)).toEqual([]);
});

test('a process finds the events that need their workflow without a notification', async () => {
  const { link, starts } = stage.process();
  link.set(stage.engines.up);
  starts.start();
  const ids = [...(await moved(1, 1)), ...(await moved(2, 1))];
  await emptied();
  expect(await Promise.all(ids.map(started))).toEqual(['RUNNING', 'COMPLETED']);
});

/** Starts the workflows of all queued events, and counts how many starts were in flight at most. */
async function mostInFlight({ link, starts }: Pick<ReturnType<typeof stage.process>, 'link' | 'starts'>) {
  const { up } = stage.engines;
  const start = up.ensureRunning.bind(up);
  let [inFlight, most] = [0, 0];
  const counted = vi.spyOn(up, 'ensureRunning').mockImplementation(async (event) => {
    most = Math.max(most, ++inFlight);
    return start(event).finally(() => inFlight--);
  });
  onTestFinished(() => counted.mockRestore());
  link.set(up);
  starts.start();
  await emptied();
  return most;
}

test('a process starts a few workflows of settled events at a time, until all are started', async () => {
  const ids = await moved(2, 30);
  const { link, starts } = stage.process();
  const most = await mostInFlight({ link, starts });
  expect(most).toBe(12);
  for (const id of ids) expect(await started(id)).toBe('COMPLETED');
});

test('while the apis of this machine have a burst, workflows of settled events start one at a time', async () => {
  const ids = await moved(2, 6);
  const { link, starts } = stage.process({ firstAttemptsPerS: 1_000 * availableParallelism() });
  const most = await mostInFlight({ link, starts });
  expect(most).toBe(1);
  expect(await Promise.all(ids.map(started))).toEqual(ids.map(() => 'COMPLETED'));
});

test('without a connection to Temporal, the pollers of starts look four times per second', async () => {
  await moved(2, 3);
  let looks = 0;
  const { starts } = stage.process({
    isAlive: () => {
      looks++;
      return true;
    },
  });
  starts.start();
  await threeIdleRounds();
  // Two pollers, with three or four rounds each.
  expect(looks).toBeLessThanOrEqual(8);
});
