import { totalmem } from 'node:os';
import type { WorkerOptions } from '@temporalio/worker';
import type { Purpose } from '../../workflows/queues.ts';

/** What a cached workflow needs at most (measured: 150 to 330 KB). */
export const cachedWorkflowBytes = 330_000;
const cacheShare = 0.02;

/**
 * How many workflows a worker keeps in memory between their tasks: as many as fit into 2 % of the memory, 100 to 1,000.
 *
 * @param memory in bytes
 */
export const cachedWorkflows = (memory: number): number =>
  Math.max(100, Math.min(1_000, Math.floor((memory * cacheShare) / cachedWorkflowBytes)));

/** The memory of the machine, or the limit of the container. */
export const memoryBytes = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** What the workers of all queues have in common. */
const common = {
  // The SDK would send heartbeats only after 80 % of their timeout. Half of the timeout in workflows/activities.ts leaves
  // time for a slow server.
  maxHeartbeatThrottleInterval: '4s',
  // A task of a cached workflow waits for its worker. When the worker has just stopped, the task waits this long before
  // another worker gets it, 10 s by default: longer than the replacement of a worker may delay a retry (docs/upgrades.md).
  stickyQueueScheduleToStartTimeout: '1s',
  shutdownGraceTime: '20s',
} as const;

/** The settings of a worker for deliveries. */
const workerSettings = {
  ...common,
  // Many slots, because an attempt occupies its slot until the consumer responds.
  maxConcurrentActivityTaskExecutions: 1_000,
  maxConcurrentWorkflowTaskExecutions: 40,
  // Attempts start with the response to the workflow task, unless all slots are occupied.
  maxEagerActivityReservationsPerWorkflowTask: 3,
  // Others are rebuilt from their history when they are needed, which takes four times the processor time of an attempt.
  maxCachedWorkflows: cachedWorkflows(memoryBytes()),
  // Begins with ten calls, the SDK's fixed number otherwise. The server asks for more when tasks wait (server 1.28), and
  // for fewer while the queue is idle. Twice as many fill all slots: a call takes milliseconds, an attempt longer.
  workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 10, maximum: 20 },
  activityTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 10, maximum: 20 },
} as const satisfies Partial<WorkerOptions>;

/** A worker that runs activities only. It polls for no workflow tasks, and has no thread for workflows. */
const activitiesOnly = (slots: number, polls: number) =>
  ({
    ...common,
    maxConcurrentActivityTaskExecutions: slots,
    // One call while the queue is idle, which it mostly is.
    activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 1, maximum: polls },
  }) as const satisfies Partial<WorkerOptions>;

/** The settings of the worker of each queue, without its code. */
export const settingsOf: Record<Purpose, Partial<WorkerOptions>> = {
  deliveries: workerSettings,
  // A hanging destination occupies few slots (src/notifications/sending/destination-slots.ts), for 15 s each.
  notifications: activitiesOnly(100, 5),
  // Three tasks, of which no two runs overlap, and one that a killed worker has left behind.
  maintenance: activitiesOnly(4, 2),
  // One backup runs at a time. The other slot is for one that is being cancelled.
  backups: activitiesOnly(2, 1),
};
