import { randomUUID } from 'node:crypto';
import { Client, type WorkflowHandleWithStartDetails } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import type { deliverEvent } from '../../workflows/index.ts';
import {
  type AttemptRequest,
  type AttemptResult,
  failSignal,
  type NotifyResult,
  replaySignal,
  retrySignal,
  stateQuery,
} from '../../workflows/messages.ts';
import { queueOf } from '../../workflows/queues.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { until } from '../support/until.ts';
import { useTemporal } from './use-temporal.ts';

// An operator's signal and the end of the last notification reach the workflow in the same workflow task, as happens
// when its worker was away for a moment.

const temporal = useTemporal();

const schedule = { delaysMs: [1], timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
const replay = { generation: 1, schedule, resume: { attempts: 0, nextAttemptAt: null, settled: false } };

type Handle = WorkflowHandleWithStartDetails<typeof deliverEvent>;

/**
 * Runs a workflow whose delivery is exhausted and that waits for its only notification. `signal` is sent so that it
 * arrives together with the end of that notification.
 */
async function together(signal: (workflow: Handle) => Promise<void>) {
  const taskQueue = `test-${randomUUID()}`;
  const asked: string[] = [];
  const { promise: told, resolve: tell } = Promise.withResolvers<NotifyResult>();
  const activities = {
    async attemptDelivery({ trigger, generation, number }: AttemptRequest): Promise<AttemptResult> {
      asked.push(`${generation} ${trigger} ${number}`);
      if (trigger === 'manual' || generation > 0) return { kind: 'delivered' };
      const notifications = [{ generation: 0, destinationId: 'one', destinationType: 'webhook' as const }];
      return { kind: 'exhausted', attempted: true, notifications };
    },
    notifyWebhook: () => told,
  };
  const activityWorkers = await Promise.all(
    [taskQueue, queueOf(taskQueue, 'notifications')].map((queue) =>
      Worker.create({ connection: temporal.native, taskQueue: queue, activities }),
    ),
  );
  const activitiesEnded = Promise.all(activityWorkers.map((worker) => worker.run()));
  const workflows = async () => {
    const workflowBundle = { code: inject('workflowCode') };
    const worker = await Worker.create({ connection: temporal.native, taskQueue, workflowBundle });
    const ended = worker.run();
    return async () => {
      worker.shutdown();
      await ended;
    };
  };
  let stop = await workflows();
  const eventId = randomUUID();
  const workflowId = `event-${eventId}`;
  const { workflow } = new Client({ connection: temporal.connection });
  const handle = await workflow.start<typeof deliverEvent>('deliverEvent', {
    ...{ workflowId, taskQueue },
    typedSearchAttributes: new TypedSearchAttributes([{ key: searchAttributes.deliveryStatus, value: 'pending' }]),
    args: [{ eventId, generation: 0, schedule, resume: { attempts: 9, nextAttemptAt: null, settled: false } }],
  });
  await until('the destination is being notified', async () => (await handle.query(stateQuery)).phase === 'notifying');
  await stop();
  tell({ status: 'sent' });
  await until('the notification is done', async () => (await handle.describe()).raw.pendingActivities?.length === 0);
  await signal(handle);
  stop = await workflows();
  const result = await workflow.getHandle<typeof deliverEvent>(workflowId).result();
  const { typedSearchAttributes } = await workflow.getHandle(workflowId).describe();
  await stop();
  for (const worker of activityWorkers) worker.shutdown();
  await activitiesEnded;
  return { result, asked, shown: typedSearchAttributes.get(searchAttributes.deliveryStatus) };
}

test('a retry that arrives with the end of the last notification is made', async () => {
  expect(await together((workflow) => workflow.signal(retrySignal, { generation: 0, number: 1 }))).toEqual({
    result: { outcome: 'delivered', generation: 0, attempts: 10 },
    asked: ['0 schedule 10', '0 manual 1'],
    shown: 'delivered',
  });
});

test('a replay starts, and its search attributes no longer say failed', async () => {
  expect(await together((workflow) => workflow.signal(replaySignal, replay))).toEqual({
    result: { outcome: 'delivered', generation: 1, attempts: 1 },
    asked: ['0 schedule 10', '1 schedule 1'],
    shown: 'pending',
  });
});

test('a replay revives an event that was declared dead just before', async () => {
  const { result, asked } = await together(async (workflow) => {
    await workflow.signal(failSignal, { generation: 0, dead: true });
    await workflow.signal(replaySignal, replay);
  });
  expect(result).toEqual({ outcome: 'delivered', generation: 1, attempts: 1 });
  expect(asked).toEqual(['0 schedule 10', '1 schedule 1']);
});
