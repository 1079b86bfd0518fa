import type { WorkerDeploymentVersion } from '@temporalio/common';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { DeliveryEnd, DeliverySinks } from '../../workflows/ended.ts';
import type { MaintenanceActivities } from '../../workflows/maintenance-messages.ts';
import type { DeliveryActivities } from '../../workflows/messages.ts';
import { type Purpose, queueOf } from '../../workflows/queues.ts';
import type { TemporalOptions } from './connection.ts';
import { settingsOf } from './worker-options.ts';

/** The activities of each queue. */
export interface QueueActivities {
  deliveries: Pick<DeliveryActivities, 'attemptDelivery'> & Pick<MaintenanceActivities, 'beginBackup' | 'failBackup'>;
  notifications: Omit<DeliveryActivities, 'attemptDelivery'>;
  maintenance: Pick<MaintenanceActivities, 'purgeAuditLog' | 'retainEvents' | 'sweepOverdue'>;
  backups: Pick<MaintenanceActivities, 'makeBackup'>;
}

export interface QueueWorkersOptions {
  temporal: TemporalOptions;
  /** The queues to take; at least one. */
  purposes: readonly Purpose[];
  activities: QueueActivities;
  workflowBundle: { code: string };
  /** Called when a delivery has ended as a signal said. */
  onEnd: DeliverySinks['deliveries']['ended'];
  /** The version of this worker for Temporal (docs/changing-a-workflow.md); null without versions. */
  build: WorkerDeploymentVersion | null;
}

/**
 * Creates a worker for each queue. All of them use one connection.
 *
 * @throws the first error. Then no worker is left that holds the connection.
 */
export async function createQueueWorkers(
  connection: NativeConnection,
  options: QueueWorkersOptions,
): Promise<Worker[]> {
  const created = await Promise.allSettled(
    options.purposes.map((purpose) => Worker.create({ connection, ...optionsOf(purpose, options) })),
  );
  const workers = created.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = created.find((one) => one.status === 'rejected');
  if (!failed) return workers;
  // A worker holds its connection until it has run.
  const ended = runTogether(workers);
  shutDown(workers);
  await ended.catch(() => undefined);
  throw failed.reason;
}

function optionsOf(purpose: Purpose, options: QueueWorkersOptions): WorkerOptions {
  const { temporal, activities, workflowBundle, onEnd, build } = options;
  const ended = { fn: (_: unknown, end: DeliveryEnd) => onEnd(end), callDuringReplay: false };
  return {
    namespace: temporal.namespace,
    taskQueue: queueOf(temporal.taskQueue, purpose),
    // Workflows are on this queue only. Eager start needs them on the connection of the client that starts them.
    ...(purpose === 'deliveries' ? { workflowBundle, sinks: { deliveries: { ended } } } : {}),
    activities: activities[purpose],
    // Deliveries follow the current build; maintenance says for itself that it does not (workflows/maintenance.ts).
    ...(build === null
      ? {}
      : {
          workerDeploymentOptions: {
            version: build,
            useWorkerVersioning: true,
            defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
          },
        }),
    ...settingsOf[purpose],
  };
}

/**
 * Runs the workers until all of them have ended. The end of one, by `shutDown` or by an error, ends the others
 * gracefully, so that a process never serves only some of its queues.
 *
 * @throws the first error.
 */
export async function runTogether(workers: readonly Worker[]): Promise<void> {
  const runs = workers.map((worker) => worker.run().finally(() => shutDown(workers)));
  const ended = await Promise.allSettled(runs);
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Begins a graceful shutdown of those that run: their activities in flight end first. */
export function shutDown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
