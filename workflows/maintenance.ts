import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { MaintenanceActivities, MaintenanceInput, MaintenanceResult } from './maintenance-messages.ts';

// The worker sends a heartbeat at least every 4 s (src/temporal/worker.ts), so its loss is detected within this time.
const heartbeatTimeout = '20s';

const { makeBackup } = proxyActivities<MaintenanceActivities>({
  // Enough for a terabyte at 50 MB/s. A backup that hangs is ended by this limit.
  startToCloseTimeout: '6h',
  heartbeatTimeout,
  // Each try starts from the beginning. The waits stay below the two minutes without a heartbeat after which a backup
  // fails.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '40s', maximumAttempts: 5 },
});

// Each runs one statement. They are retried while the database is down, but end before the next night's run.
const { beginBackup, failBackup } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '12h',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

const { purgeAuditLog, retainEvents, sweepOverdue } = proxyActivities<MaintenanceActivities>({
  // The activities commit in batches. The next run continues with the remaining ones.
  startToCloseTimeout: '2h',
  heartbeatTimeout,
  // Few tries, because the schedule runs the task again.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 5 },
});

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

async function run(input: MaintenanceInput): Promise<MaintenanceResult> {
  switch (input.task) {
    case 'backup':
      return backup(input);
    case 'audit-purge':
      return { outcome: 'completed', counts: await purgeAuditLog({ olderThanDays: input.olderThanDays }) };
    case 'retention':
      return { outcome: 'completed', counts: await retainEvents({ olderThanDays: input.olderThanDays }) };
    case 'sweep':
      return { outcome: 'completed', counts: await sweepOverdue() };
    default:
      return input satisfies never;
  }
}

async function backup(input: { backupId?: string }): Promise<MaintenanceResult> {
  const { workflowId } = workflowInfo();
  const begun = input.backupId === undefined ? await beginBackup({ workflowId }) : { backupId: input.backupId };
  if (begun === null) return { outcome: 'skipped', counts: {} };
  const { backupId } = begun;
  try {
    return { outcome: 'completed', backupId, counts: await makeBackup({ backupId }) };
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
  return cause instanceof ApplicationFailure ? cause.message : 'the worker that made it is gone, or took too long';
}
