import { Client, type ConnectionLike, type WorkflowService } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { EndedWorkflows } from '../../src/engine/ended-workflows.ts';
import { connectLazily } from '../../src/temporal/lazy-connection.ts';
import { ackSignal, type DeliverEventInput, stateQuery } from '../../workflows/messages.ts';
import { installTestRuntime, log } from '../support/runtime.ts';

installTestRuntime();
const namespace = 'default';
const address = inject('temporalAddress');
const taskQueue = `ended-${crypto.randomUUID()}`;
const workflowBundle = { code: inject('workflowCode') };
const connection = connectLazily({ address, apiKey: null, tls: false });
const { workflow } = new Client({ connection, namespace });
let native: NativeConnection;
beforeAll(async () => {
  native = await NativeConnection.connect({ address });
});
afterAll(() => Promise.all([connection.close(), native.close()]));

const result = { outcome: 'already_settled', deliveryStatus: 'delivered', generation: 0, attempts: 1 };

/** The types of its events: started; its task scheduled, started, completed; completed. */
const firstTask = [1, 5, 6, 7, 2];
const unanswered = () => Promise.reject(new Error('the starter is dead'));

const input = (eventId: string): DeliverEventInput => ({
  eventId,
  generation: 0,
  schedule: { delaysMs: [1_000], timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 },
  resume: { attempts: 1, nextAttemptAt: null, settled: true, deliveryStatus: 'delivered' },
  withoutSearchAttributes: true,
});

type Calls = Pick<WorkflowService, 'startWorkflowExecution' | 'respondWorkflowTaskCompleted'>;

/** Starts the workflow of an event through these calls to Temporal. */
async function startedBy(
  changed: (
    service: WorkflowService,
    workflowId: string,
  ) => Partial<Record<keyof Calls, (request: never) => Promise<unknown>>>,
) {
  const workflowId = `ended-${crypto.randomUUID()}`;
  const { workflowService: service } = connection;
  const calls: Calls = {
    startWorkflowExecution: (request) => service.startWorkflowExecution(request),
    respondWorkflowTaskCompleted: (request) => service.respondWorkflowTaskCompleted(request),
    ...changed(service, workflowId),
  } as Calls;
  const way = Object.create(connection, { workflowService: { value: calls } }) as ConnectionLike;
  const start = () =>
    new EndedWorkflows({ connection: way, namespace, log }).startEnded({
      workflowId,
      taskQueue,
      args: [input(workflowId)],
    });
  return { start, runId: await start(), handle: workflow.getHandle(workflowId) };
}

const statusOf = async ({ handle }: Awaited<ReturnType<typeof startedBy>>) => (await handle.describe()).status.name;

test('it has ended when its start returns, with the history that a worker would write', async () => {
  const one = await startedBy(() => ({}));
  expect(await statusOf(one)).toBe('COMPLETED');
  expect(await one.handle.result()).toEqual(result);
  const history = await one.handle.fetchHistory();
  expect(history.events?.map(({ eventType }) => eventType)).toEqual(firstTask);
  await Worker.runReplayHistory({ workflowBundle }, history, one.handle.workflowId);
  expect(one.runId).toMatch(/^[0-9a-f-]{36}$/);
});

test('a second start finds it, and starts nothing while it runs', async () => {
  const left = await startedBy(() => ({ respondWorkflowTaskCompleted: unanswered }));
  expect(await left.start()).toBe(null);
});

test('a task that was not answered, given out or accepted is left to a worker', async () => {
  const all = await Promise.all([
    // As when the starter dies.
    startedBy(() => ({ respondWorkflowTaskCompleted: unanswered })),
    // As by a server without eager tasks.
    startedBy((service) => ({
      startWorkflowExecution: (request: Parameters<Calls['startWorkflowExecution']>[0]) =>
        service.startWorkflowExecution({ ...request, requestEagerExecution: false }),
    })),
    // An operator's signal comes in between.
    startedBy((service, workflowId) => ({
      async respondWorkflowTaskCompleted(request: Parameters<Calls['respondWorkflowTaskCompleted']>[0]) {
        await workflow.getHandle(workflowId).signal(ackSignal, { generation: 0 });
        return service.respondWorkflowTaskCompleted(request);
      },
    })),
  ]);
  for (const one of all) expect([await statusOf(one), one.runId]).toEqual(['RUNNING', expect.any(String)]);
  const worker = await Worker.create({ connection: native, namespace, taskQueue, workflowBundle });
  await worker.runUntil(async () => {
    for (const { handle } of all) expect(await handle.result()).toEqual(result);
    const { handle } = await startedBy(() => ({}));
    expect(await handle.query(stateQuery)).toMatchObject({ phase: 'ended', attempts: 1, nextAttemptAt: null });
  });
});
