import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { deliverEvent } from '../../workflows/index.ts';
import {
  type AttemptRequest,
  type AttemptResult,
  ackSignal,
  type DeliveryState,
  type NotifyResult,
  replaySignal,
  retrySignal,
  stateQuery,
} from '../../workflows/messages.ts';
import { queueOf } from '../../workflows/queues.ts';
import { until } from '../support/until.ts';
import { useTemporal } from './use-temporal.ts';

// A workflow continues as a new run after a replay, and when its history has become long. The new run must take over
// the unfinished work of the run before it, and must not repeat finished work.

const temporal = useTemporal();

const minuteMs = 60_000;
const schedule = { delaysMs: Array(9).fill(10 * minuteMs), timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
const fresh = { attempts: 0, nextAttemptAt: null, settled: false };

interface Answers {
  attempt(request: AttemptRequest): AttemptResult | Promise<AttemptResult>;
  notify?(): Promise<NotifyResult>;
}

/** Starts the workflow of an event, with activities that record their calls. */
async function begin(answers: Answers) {
  const taskQueue = `test-${randomUUID()}`;
  const asked: string[] = [];
  const worker = await Worker.create({
    connection: temporal.native,
    taskQueue,
    workflowBundle: { code: inject('workflowCode') },
    activities: {
      attemptDelivery(request: AttemptRequest) {
        asked.push(`${request.generation} ${request.trigger} ${request.number}`);
        return answers.attempt(request);
      },
    },
  });
  const notifying = await Worker.create({
    connection: temporal.native,
    taskQueue: queueOf(taskQueue, 'notifications'),
    activities: {
      notifyWebhook({ generation, destinationId }: { generation: number; destinationId: string }) {
        asked.push(`${generation} notify ${destinationId}`);
        return answers.notify?.();
      },
    },
  });
  const ended = Promise.all([worker.run(), notifying.run()]);
  onTestFinished(async () => {
    worker.shutdown();
    notifying.shutdown();
    await ended;
  });
  const eventId = randomUUID();
  const { workflow } = new Client({ connection: temporal.connection });
  const handle = await workflow.start<typeof deliverEvent>('deliverEvent', {
    workflowId: `event-${eventId}`,
    taskQueue,
    args: [{ eventId, generation: 0, schedule, resume: fresh }],
  });
  // A handle without a run id refers to the latest run.
  const latest = workflow.getHandle<typeof deliverEvent>(handle.workflowId);
  const state = (wanted: Partial<DeliveryState>) =>
    until(`the workflow is as wanted: ${JSON.stringify(wanted)}`, async () =>
      isDeepStrictEqual({ ...(await latest.query(stateQuery)), ...wanted }, await latest.query(stateQuery)),
    );
  return { asked, latest, state, firstRun: handle.firstExecutionRunId };
}

const replay = { generation: 1, schedule, resume: fresh };

test('a long history: the next run continues with the attempt number of the run before it', async () => {
  const runs = new Set<string>();
  const { asked, latest, state } = await begin({
    attempt({ number }) {
      runs.add(Context.current().info.workflowExecution?.runId ?? '');
      if (number === 1) return { kind: 'failed', waitMs: 0 };
      // Reports a disabled account, so that the workflow repeats the same attempt until there is a second run.
      return runs.size === 1 ? { kind: 'wait', waitMs: 100 } : { kind: 'delivered' };
    },
  });
  await state({ attempts: 1 });
  // Temporal suggests a new run from a history of 4 MiB on, and accepts at most 4 MB per call. The signals belong to
  // another generation, so the workflow ignores them.
  const megabyte = { generation: -1, padding: 'x'.repeat(1_000_000) };
  for (let n = 0; n < 5; n++) await latest.signal(ackSignal, megabyte);
  expect(await latest.result()).toEqual({ outcome: 'delivered', generation: 0, attempts: 2 });
  expect(asked.filter((request) => request === '0 schedule 1')).toHaveLength(1);
  expect(new Set(asked)).toEqual(new Set(['0 schedule 1', '0 schedule 2']));
});

test('a replay during an attempt: the attempt is completed, and the next run makes the waiting retries', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { asked, latest, state } = await begin({
    async attempt({ generation, trigger }) {
      if (generation === 0 && trigger === 'schedule') await over;
      return generation === 0 ? { kind: 'failed', waitMs: 10 * minuteMs } : { kind: 'delivered' };
    },
  });
  await until('the attempt is made', () => asked.length === 1);
  await latest.signal(retrySignal, { generation: 0, number: 1 });
  await latest.signal(retrySignal, { generation: 0, number: 2 });
  await latest.signal(replaySignal, replay);
  await state({ retries: 2, phase: 'attempting' });
  end();
  expect(await latest.result()).toEqual({ outcome: 'delivered', generation: 1, attempts: 1 });
  expect(asked).toEqual(['0 schedule 1', '0 manual 1', '0 manual 2', '1 schedule 1']);
});

test('a replay while a destination is being notified: the next run notifies it before it ends', async () => {
  const { promise: told, resolve: tell } = Promise.withResolvers<NotifyResult>();
  const notifications = [{ generation: 0, destinationId: 'one', destinationType: 'webhook' as const }];
  const { asked, latest, state } = await begin({
    attempt: ({ generation }) =>
      generation === 0 ? { kind: 'exhausted', attempted: true, notifications } : { kind: 'delivered' },
    notify: () => told,
  });
  await state({ phase: 'notifying', notifications: 1 });
  await latest.signal(replaySignal, replay);
  await state({ generation: 1, attempts: 1, phase: 'notifying', notifications: 1 });
  tell({ status: 'sent' });
  expect(await latest.result()).toEqual({ outcome: 'delivered', generation: 1, attempts: 1 });
  // The second run asks for both at once, on two queues.
  expect(asked.toSorted()).toEqual(['0 notify one', '0 notify one', '0 schedule 1', '1 schedule 1']);
});

test('a replay of the present generation or an earlier one starts no new run', async () => {
  const { asked, latest, state, firstRun } = await begin({
    attempt: ({ number }) => (number === 1 ? { kind: 'failed', waitMs: 10 * minuteMs } : { kind: 'delivered' }),
  });
  await state({ attempts: 1, phase: 'waiting' });
  await latest.signal(replaySignal, { ...replay, generation: 0 });
  await latest.signal(replaySignal, { ...replay, generation: -1 });
  await latest.signal(ackSignal, { generation: 0 });
  expect(await latest.result()).toEqual({ outcome: 'acknowledged', generation: 0, attempts: 1 });
  expect((await latest.describe()).runId).toBe(firstRun);
  expect(asked).toEqual(['0 schedule 1']);
});
