import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setWorkflowOptions,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { InvalidDataError, unknownKind } from './invalid-data.ts';
import type { MaintenanceActivities, MaintenanceInput, MaintenanceResult } from './maintenance-messages.ts';
import { notTaken } from './not-taken.ts';
import { queueOfPurpose } from './queue-of-purpose.ts';

// The worker sends a heartbeat at least every 4 s (src/temporal/worker-options.ts), so its loss is detected within this
// time.
const heartbeatTimeout = '20s';

/** The backup itself, on the queue of the workers that have a place for it. */
const backups = () =>
  proxyActivities<MaintenanceActivities>({
    taskQueue: queueOfPurpose('backups'),
    // Then the backup fails, with the reason in its row. It stays below the two minutes without a heartbeat after which
    // a backup fails, and is long enough for the only worker to be replaced.
    scheduleToStartTimeout: '1m',
    // Enough for a terabyte at 50 MB/s. A backup that hangs is ended by this limit.
    startToCloseTimeout: '6h',
    heartbeatTimeout,
    // Each try starts from the beginning. The waits stay below the two minutes without a heartbeat after which a backup
    // fails.
    retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '40s', maximumAttempts: 5 },
  });

// Each runs one statement, on the workflow's own queue: where the workflow continues, there is a worker for them. So a
// backup is recorded as failed also when no worker takes backups.
const { beginBackup, failBackup } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '12h',
  // Retried while the database is down, without a number of attempts: they end before the next night's run.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** @param scheduleToStartTimeout how long the task waits for a worker that takes `maintenance` */
const tasks = (scheduleToStartTimeout: '4m' | '30m') =>
  proxyActivities<MaintenanceActivities>({
    ...{ taskQueue: queueOfPurpose('maintenance'), scheduleToStartTimeout },
    // The activities commit in batches. The next run continues with the remaining ones.
    startToCloseTimeout: '2h',
    heartbeatTimeout,
    // Few tries, because the schedule runs the task again.
    retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 5 },
  });
/** A nightly task can wait for a worker that is being replaced or moved. */
const nightly = () => tasks('30m');
/** The sweep runs every 5 minutes: a run that no worker takes ends before the next one. */
const frequent = () => tasks('4m');

/**
 * Runs one maintenance task. Started by the task's schedule or by an operator. The result has the counts of the run.
 */
export async function upkeep(input: MaintenanceInput): Promise<MaintenanceResult> {
  const result = await run(input);
  const { outcome, counts } = result;
  const done = Object.entries(counts).map(([name, count]) => `- ${name}: ${count}`);
  setCurrentDetails([`**${input.task}: ${outcome}**`, '', ...done].join('\n'));
  return result;
}

// A run ends on the build on which it began, so a change of it needs no patch. A worker without a build must name no
// behaviour: the server would refuse its tasks. On replay, the version is that of the first task. A pinned run is never
// replayed by a worker without a build, and a run that began without one follows the current build.
setWorkflowOptions(
  () => ({
    failureExceptionTypes: [InvalidDataError],
    ...(workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {}),
  }),
  upkeep,
);

async function run(input: MaintenanceInput): Promise<MaintenanceResult> {
  switch (input.task) {
    case 'backup':
      return backup(input);
    case 'audit-purge':
      return { outcome: 'completed', counts: await nightly().purgeAuditLog({ olderThanDays: input.olderThanDays }) };
    case 'retention':
      return { outcome: 'completed', counts: await nightly().retainEvents({ olderThanDays: input.olderThanDays }) };
    case 'sweep':
      return { outcome: 'completed', counts: await frequent().sweepOverdue() };
    default:
      throw unknownKind('the input of a maintenance run', input);
  }
}

async function backup(input: { backupId?: string }): Promise<MaintenanceResult> {
  const { workflowId } = workflowInfo();
  const begun = input.backupId === undefined ? await beginBackup({ workflowId }) : { backupId: input.backupId };
  if (begun === null) return { outcome: 'skipped', counts: {} };
  const { backupId } = begun;
  try {
    return { outcome: 'completed', backupId, counts: await backups().makeBackup({ backupId }) };
  } catch (error) {
    // Also runs when an operator cancels the workflow.
    await CancellationScope.nonCancellable(() => failBackup({ backupId, error: sentenceOf(error) }));
    throw error;
  }
}

/** The reason of a failure, for operators: the activity's message if there is one. */
function sentenceOf(error: unknown): string {
  if (isCancellation(error)) return 'it was cancelled';
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') return notTaken('backups');
  return cause instanceof ApplicationFailure ? cause.message : 'the worker that made it is gone, or took too long';
}
