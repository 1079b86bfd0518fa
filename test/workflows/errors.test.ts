import { randomUUID } from 'node:crypto';
import { Client, WorkflowFailedError } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import type { deliverEvent } from '../../workflows/index.ts';
import { ackSignal, stateQuery } from '../../workflows/messages.ts';
import { installTestRuntime } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { useTemporal } from './use-temporal.ts';

// Which errors fail the run of a workflow, and which only its task (docs/changing-a-workflow.md).

installTestRuntime();
const temporal = useTemporal();
const schedule = { delaysMs: [600_000], timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
const resume = { attempts: 0, nextAttemptAt: null, settled: false };

/** Starts the workflow of an event. Its attempts have the result that this JSON says. */
async function begin(resultOfAttempts: string) {
  const taskQueue = `test-${randomUUID()}`;
  const activities = { attemptDelivery: async () => JSON.parse(resultOfAttempts) };
  const eventId = randomUUID();
  const { workflow } = new Client({ connection: temporal.connection });
  const handle = await workflow.start<typeof deliverEvent>('deliverEvent', {
    ...{ workflowId: `event-${eventId}`, taskQueue },
    args: [{ eventId, generation: 0, schedule, resume }],
  });
  /** Runs a worker with this workflow code while `work` is done. */
  const during = async <T>(code: string, work: () => Promise<T>): Promise<T> => {
    const worker = await Worker.create({
      connection: temporal.native,
      taskQueue,
      workflowBundle: { code },
      activities,
    });
    return worker.runUntil(work);
  };
  return { handle, during };
}

test('a result of an unknown kind fails the run', async () => {
  const { handle, during } = await begin('{"kind":"unknown"}');
  const error = await during(inject('workflowCode'), () => handle.result().catch((reason: unknown) => reason));
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect(error).toMatchObject({ cause: { type: 'InvalidDataError' } });
});

test('non-determinism fails the task and not the run, which the right code continues', async () => {
  const { handle, during } = await begin('{"kind":"failed","waitMs":600000}');
  const right = inject('workflowCode');
  await during(right, () => until('it waits', async () => (await handle.query(stateQuery)).attempts === 1));
  const other = right.replaceAll('attemptDelivery', 'attemptOtherwise');
  await handle.signal(ackSignal, { generation: 0 });
  await during(other, () =>
    until('its task fails', async () => ((await handle.describe()).raw.pendingWorkflowTask?.attempt ?? 0) > 1),
  );
  expect((await handle.describe()).status.name).toBe('RUNNING');
  const result = await during(right, () => handle.result());
  expect(result).toEqual({ outcome: 'acknowledged', generation: 0, attempts: 1 });
});
