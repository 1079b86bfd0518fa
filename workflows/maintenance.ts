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

// The activities beat every 3 s while they last, so a killed worker is noticed within this.
const heartbeatTimeout = '20s';

const { makeBackup } = proxyActivities<MaintenanceActivities>({
  // A terabyte at 50 MB/s; one that hangs is given up by then.
  startToCloseTimeout: '6h',
  heartbeatTimeout,
  // Each try begins anew. Their waits stay below the two minutes after which a silent backup counts as failed.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '40s', maximumAttempts: 5 },
});

// One statement each. While the database is away they wait for it, but not into the next night.
const { beginBackup, failBackup } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '12h',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

const { purgeAuditLog, retainEvents, sweepOverdue } = proxyActivities<MaintenanceActivities>({
  // Batches that commit one by one: what is left after this the next run does.
  startToCloseTimeout: '2h',
  heartbeatTimeout,
  // The schedule asks again anyway.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 5 },
});

/** One task of the gateway's maintenance, started by its schedule or by an operator. Its result says what was done. */
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
    // Also when an operator cancels it.
    await CancellationScope.nonCancellable(() => failBackup({ backupId, error: sentenceOf(error) }));
    throw error;
  }
}

/** Why it failed, for people: what the activity said, if it could say anything. */
function sentenceOf(error: unknown): string {
  if (isCancellation(error)) return 'it was cancelled';
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause.message : 'the worker that made it is gone, or took too long';
}
