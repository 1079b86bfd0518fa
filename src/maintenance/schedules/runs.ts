import {
  type Client,
  type ScheduleExecutionResult,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { z } from 'zod';
import type { upkeep } from '../../../workflows/index.ts';
import { notTaken } from '../../../workflows/not-taken.ts';
import type { ListedRun, MaintenanceRun } from '../maintenance.ts';

/** The result of a run, in the form of this version and of older ones. */
const runResult = z.object({
  outcome: z.enum(['completed', 'skipped']),
  backupId: z.string().optional(),
  counts: z.record(z.string(), z.number()),
});

/**
 * Reads the state of the recent runs of a schedule.
 *
 * @param recent the runs, oldest first, as Temporal lists them.
 */
export async function readRuns(
  client: Client,
  recent: readonly ScheduleExecutionResult[],
): Promise<{ running: boolean; lastRun: MaintenanceRun | null }> {
  let running = false;
  for (const { action, takenAt } of [...recent].reverse()) {
    const { handle, described } = await look(client, action);
    if (described?.status.name === 'RUNNING') {
      running = true;
      continue;
    }
    return { running, lastRun: described ? await ended(described, handle) : forgotten(takenAt) };
  }
  return { running, lastRun: null };
}

/**
 * Reads the runs of a schedule, newest first.
 *
 * @param recent the runs, oldest first, as Temporal lists them: at most ten.
 */
export async function listRuns(client: Client, recent: readonly ScheduleExecutionResult[]): Promise<ListedRun[]> {
  const runs = recent.map(async ({ action, takenAt }): Promise<ListedRun> => {
    const { handle, described } = await look(client, action);
    if (!described) return forgotten(takenAt);
    if (described.status.name !== 'RUNNING') return ended(described, handle);
    return { startedAt: described.startTime, finishedAt: null, outcome: 'running', result: null, error: null };
  });
  return (await Promise.all(runs)).reverse();
}

/** Asks Temporal about a run; `described` is null if it has deleted the run. */
async function look(client: Client, { workflow }: ScheduleExecutionResult['action']) {
  const handle = client.workflow.getHandle<typeof upkeep>(workflow.workflowId, workflow.firstExecutionRunId);
  const described = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  });
  return { handle, described };
}

async function ended(
  described: WorkflowExecutionDescription,
  handle: { result(): Promise<unknown> },
): Promise<MaintenanceRun> {
  const times = { startedAt: described.startTime, finishedAt: described.closeTime ?? null };
  const failed = (outcome: MaintenanceRun['outcome'], error: string) => ({ ...times, outcome, result: null, error });
  switch (described.status.name) {
    case 'COMPLETED': {
      const { data } = runResult.safeParse(await handle.result());
      if (!data) return { ...times, outcome: 'completed', result: null, error: null };
      const { outcome, backupId, counts } = data;
      const result = { ...(backupId === undefined ? {} : { backup_id: backupId }), ...counts };
      return { ...times, outcome, result, error: null };
    }
    case 'FAILED':
      return failed('failed', await reason(handle, described.memo?.task === 'backup'));
    case 'CANCELLED':
      return failed('cancelled', 'it was cancelled');
    case 'TERMINATED':
      return failed('terminated', 'it was terminated in Temporal');
    case 'TIMED_OUT':
      return failed('timed_out', 'it took too long');
    default:
      return failed('unknown', 'Temporal reports no outcome');
  }
}

/** The message of the failed activity. */
async function reason(handle: { result(): Promise<unknown> }, isBackup: boolean): Promise<string> {
  try {
    await handle.result();
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const failure = error.cause instanceof ActivityFailure ? error.cause.cause : error.cause;
    if (failure instanceof ApplicationFailure) return failure.message;
    if (failure instanceof TimeoutFailure && failure.timeoutType === 'SCHEDULE_TO_START')
      return notTaken(isBackup ? 'backups' : 'maintenance');
  }
  return 'its worker crashed or took too long';
}

const forgotten = (startedAt: Date): MaintenanceRun => ({
  ...{ startedAt, finishedAt: null, outcome: 'unknown', result: null, error: null },
});
