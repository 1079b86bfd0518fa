import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import type { deliverEvent } from '../../workflows/index.ts';
import { stateQuery } from '../../workflows/messages.ts';
import { until } from '../support/until.ts';
import { useTemporal } from './use-temporal.ts';

// A query that no worker has taken when a timer fires gets a history in which the timer has fired, but no task has begun
// since. A worker that does not have the workflow in memory then runs it as far as that, with the time of the last task.

const temporal = useTemporal();
/** Enough that some queries are taken before the workflow's task: which is first is by chance. */
const workflows = 20;

test('queries that wait while attempts become due do not make the workflows wait again', async () => {
  const taskQueue = `test-${randomUUID()}`;
  const workflowBundle = { code: inject('workflowCode') };
  const withWorker = async (work: () => Promise<unknown>) => {
    const activities = { attemptDelivery: async () => ({ kind: 'delivered' }) };
    const worker = await Worker.create({ connection: temporal.native, taskQueue, workflowBundle, activities });
    await worker.runUntil(work);
  };
  const { workflow } = new Client({ connection: temporal.connection });
  const dueMs = Date.now() + 15_000;
  const start = () => {
    const eventId = randomUUID();
    const schedule = { delaysMs: [1], timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
    const resume = { attempts: 0, nextAttemptAt: new Date(dueMs).toISOString(), settled: false };
    const workflowId = `event-${eventId}`;
    return workflow.start<typeof deliverEvent>('deliverEvent', {
      ...{ workflowId, taskQueue },
      args: [{ eventId, generation: 1, schedule, resume }],
    });
  };
  const handles = await Promise.all(Array.from({ length: workflows }, start));
  const all = (kind: 'timerStartedEventAttributes' | 'timerFiredEventAttributes') =>
    until(kind, async () => {
      const counts = await Promise.all(handles.map((handle) => countOf(handle, kind)));
      return counts.every((count) => count === 1);
    });
  await withWorker(() => all('timerStartedEventAttributes'));
  // Before the timers fire: a query of a workflow with a waiting task is answered with that task.
  await setTimeout(dueMs - 1_500 - Date.now());
  const answers = Promise.all(handles.map((handle) => handle.query(stateQuery)));
  await all('timerFiredEventAttributes');
  await withWorker(async () => {
    await answers;
    await Promise.all(handles.map((handle) => handle.result()));
  });
  for (const handle of handles) {
    expect(await countOf(handle, 'timerStartedEventAttributes')).toBe(1);
    await Worker.runReplayHistory({ workflowBundle }, await handle.fetchHistory(), handle.workflowId);
  }
});

async function countOf(
  handle: WorkflowHandle<typeof deliverEvent>,
  kind: 'timerStartedEventAttributes' | 'timerFiredEventAttributes',
) {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event[kind]).length;
}
