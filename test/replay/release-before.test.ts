import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection, Worker } from '@temporalio/worker';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import type { deliverEvent, upkeep } from '../../workflows/index.ts';
import type { AttemptRequest, AttemptResult, NotifyResult } from '../../workflows/messages.ts';
import { queueOf } from '../../workflows/queues.ts';
import { installTestRuntime } from '../support/runtime.ts';
import { useTemporal } from '../workflows/use-temporal.ts';
import { bundleOfReleaseBefore } from './release-before.ts';

// Workers of the release before and of this one run side by side during an upgrade, and take over each other's workflows.

installTestRuntime();
const temporal = useTemporal();
const folder = fileURLToPath(new URL('histories/', import.meta.url));
const today = { code: inject('workflowCode') };
let before: { code: string };
beforeAll(async () => {
  before = await bundleOfReleaseBefore();
});

/**
 * The release before fails at a signal of a wrong form, and does not know the marker of this one, which ignores it. It
 * ends a workflow without the last update of the search attributes, which therefore comes only in the task that ends a
 * run.
 */
const beyond = ['odd-signals.json', 'shown-first-try.json', 'shown-retry-run-2.json'];

test.each(readdirSync(folder).filter((file) => !beyond.includes(file)))(
  'the release before can replay %s',
  async (file) => {
    const { workflowId, history } = JSON.parse(readFileSync(`${folder}${file}`, 'utf8'));
    await Worker.runReplayHistory({ workflowBundle: before }, historyFromJSON(history), workflowId);
  },
);

/**
 * Workers of both releases on one queue, which rebuild each workflow from its history for each task, so that a workflow
 * passes from one release to the other.
 */
async function sideBySide() {
  const taskQueue = `test-${randomUUID()}`;
  const ranOn: Record<string, Set<string>> = {};
  const activitiesOn = (queue: string) => {
    const ran = (name: string) => {
      ranOn[name] ??= new Set();
      ranOn[name].add(queue);
    };
    const notifyWebhook = async (): Promise<NotifyResult> => {
      ran('notifyWebhook');
      return { status: 'sent' };
    };
    return {
      async attemptDelivery({ number, generation }: AttemptRequest): Promise<AttemptResult> {
        const destination = { generation, destinationId: randomUUID(), destinationType: 'webhook' as const };
        return number < 10
          ? { kind: 'failed', waitMs: 1 }
          : { kind: 'exhausted', attempted: true, notifications: [destination, destination] };
      },
      notifyWebhook,
      async sweepOverdue() {
        ran('sweepOverdue');
        return { events: 0, notifications: 0 };
      },
    };
  };
  // The SDK allows one worker of a queue on a connection.
  const another = await NativeConnection.connect({ address: inject('temporalAddress') });
  const common = { connection: temporal.native, maxCachedWorkflows: 0 };
  const workers = await Promise.all([
    ...[before, today].map((workflowBundle) =>
      Worker.create({
        ...common,
        ...{ taskQueue, workflowBundle, activities: activitiesOn('deliveries') },
        connection: workflowBundle === today ? temporal.native : another,
      }),
    ),
    ...(['notifications', 'maintenance'] as const).map((purpose) =>
      Worker.create({ ...common, taskQueue: queueOf(taskQueue, purpose), activities: activitiesOn(purpose) }),
    ),
  ]);
  const ended = workers.map((worker) => worker.run());
  onTestFinished(async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(ended);
    await another.close();
  });
  return { taskQueue, ranOn, client: new Client({ connection: temporal.connection }) };
}

test('workers of both releases end each other’s workflows without a failed workflow task', async () => {
  const { taskQueue, ranOn, client } = await sideBySide();
  const schedule = { delaysMs: Array(9).fill(1), timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
  const resume = { attempts: 0, nextAttemptAt: null, settled: false };
  // Each is taken by both releases in turn, at random.
  const deliveries = Array.from({ length: 12 }, () => `event-${randomUUID()}`);
  const sweeps = Array.from({ length: 12 }, () => `sweep-${randomUUID()}`);
  const results = await Promise.all([
    ...deliveries.map((workflowId) =>
      client.workflow.execute<typeof deliverEvent>('deliverEvent', {
        ...{ workflowId, taskQueue },
        args: [{ eventId: randomUUID(), generation: 0, schedule, resume }],
      }),
    ),
    ...sweeps.map((workflowId) =>
      client.workflow.execute<typeof upkeep>('upkeep', { workflowId, taskQueue, args: [{ task: 'sweep' }] }),
    ),
  ]);
  expect(results.map(({ outcome }) => outcome)).toEqual([
    ...deliveries.map(() => 'exhausted'),
    ...sweeps.map(() => 'completed'),
  ]);
  expect(ranOn.notifyWebhook).toEqual(new Set(['notifications']));
  expect(ranOn.sweepOverdue).toEqual(new Set(['maintenance']));
  const histories = await Promise.all(deliveries.map((id) => client.workflow.getHandle(id).fetchHistory()));
  const types = histories.flatMap(({ events }) =>
    (events ?? []).map((event) => event.workflowTaskFailedEventAttributes),
  );
  expect(types.filter(Boolean)).toEqual([]);
});

// The release before sets the marker `schedule-ends` by `patched`, this one by `deprecatePatch`.
test.each(['the release before', 'this release'])(
  'a workflow that %s has ended after its schedule is replayed by both',
  async (by) => {
    const taskQueue = `test-${randomUUID()}`;
    const worker = await Worker.create({
      ...{ connection: temporal.native, taskQueue, workflowBundle: by === 'this release' ? today : before },
      activities: { attemptDelivery: async (): Promise<AttemptResult> => ({ kind: 'failed', waitMs: 0 }) },
    });
    const { workflow } = new Client({ connection: temporal.connection });
    const workflowId = `event-${randomUUID()}`;
    const schedule = { delaysMs: [1], timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
    const resume = { attempts: 0, nextAttemptAt: null, settled: false };
    const execution = workflow.execute<typeof deliverEvent>('deliverEvent', {
      ...{ workflowId, taskQueue },
      args: [{ eventId: randomUUID(), generation: 0, schedule, resume }],
    });
    expect(await worker.runUntil(execution)).toMatchObject({ outcome: 'already_settled', attempts: 2 });
    const history = await workflow.getHandle(workflowId).fetchHistory();
    expect(history.events?.some((event) => event.markerRecordedEventAttributes)).toBe(true);
    for (const workflowBundle of [before, today])
      await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
  },
);
