import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { deliverEvent } from '../../workflows/index.ts';
import type { AttemptRequest, AttemptResult } from '../../workflows/messages.ts';
import { useTemporal } from './use-temporal.ts';

// A workflow never makes more scheduled attempts than its schedule has, even if an attempt's result asks for another
// one.

const temporal = useTemporal();
const delaysMs = [1, 1, 1];

/** Runs a workflow whose attempts always report that another attempt is due immediately. */
async function neverOver(attempts: number) {
  const taskQueue = `test-${randomUUID()}`;
  const workflowBundle = { code: inject('workflowCode') };
  const asked: number[] = [];
  const attemptDelivery = async ({ number }: AttemptRequest): Promise<AttemptResult> => {
    asked.push(number);
    // More attempts than expected, so that the test also ends if the workflow does not stop.
    return number < 20 ? { kind: 'failed', waitMs: 0 } : { kind: 'delivered' };
  };
  const worker = await Worker.create({
    connection: temporal.native,
    taskQueue,
    workflowBundle,
    activities: { attemptDelivery },
  });
  const ended = worker.run();
  onTestFinished(async () => {
    worker.shutdown();
    await ended;
  });
  const eventId = randomUUID();
  const workflowId = `event-${eventId}`;
  const { workflow } = new Client({ connection: temporal.connection });
  const schedule = { delaysMs, timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
  const resume = { attempts, nextAttemptAt: null, settled: false };
  const result = await workflow.execute<typeof deliverEvent>('deliverEvent', {
    ...{ workflowId, taskQueue },
    args: [{ eventId, generation: 1, schedule, resume }],
  });
  const history = await workflow.getHandle(workflowId).fetchHistory();
  await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
  return { asked, result };
}

test('the failure of the last scheduled attempt ends the schedule, even if its result asks for another attempt', async () => {
  expect(await neverOver(0)).toEqual({
    asked: [1, 2, 3, 4],
    result: { outcome: 'already_settled', generation: 1, attempts: 4 },
  });
});

test('a workflow that starts after the end of its schedule makes one attempt, which settles the event', async () => {
  expect(await neverOver(4)).toEqual({
    asked: [5],
    result: { outcome: 'already_settled', generation: 1, attempts: 5 },
  });
});
