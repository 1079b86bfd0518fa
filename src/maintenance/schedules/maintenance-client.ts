import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  isGrpcServiceError,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import type { upkeep } from '../../../workflows/index.ts';
import type { TemporalOptions } from '../../temporal/connection.ts';
import { connectionAdvice } from '../../temporal/connection-advice.ts';
import { connectLazily, saysThatItIsAway } from '../../temporal/lazy-connection.ts';
import { type Maintenance, MaintenanceUnavailable, NotScheduled } from '../maintenance.ts';
import { type MaintenanceTaskName, maintenanceTaskNames, maintenanceTasks } from '../tasks.ts';
import { listRuns, readRuns } from './runs.ts';
import { runLimits, scheduleId } from './schedule-options.ts';

/** The limit for a change. A server that is down fails immediately. */
const changeLimitMs = 10_000;
/**
 * The limit for all calls that ask for the state of a schedule. A workflow of Temporal answers, and only when none of its
 * tasks is open: on a busy server this takes seconds, and a task that got lost is open until it times out after 10 s.
 */
const stateLimitMs = 15_000;

/** The gRPC status code RESOURCE_EXHAUSTED. */
const busyCode = 8;
const isBusy = (error: unknown) =>
  error instanceof Error && isGrpcServiceError(error.cause) && error.cause.code === busyCode;
const longestPauseMs = 1_000;

/** Creates the client for maintenance in Temporal. It connects at the first call. */
export function createMaintenanceClient(options: TemporalOptions): Maintenance & { close(): Promise<void> } {
  const { taskQueue, namespace } = options;
  const connection = connectLazily(options);
  const client = new Client({ connection, namespace });
  const handle = (name: MaintenanceTaskName) => client.schedule.getHandle(scheduleId(taskQueue, name));

  async function call<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    try {
      return await connection.withDeadline(Date.now() + limitMs, work);
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) throw new NotScheduled('there is no such schedule', { cause: error });
      if (saysThatItIsAway(error)) {
        const advice = connectionAdvice(options, error);
        throw new MaintenanceUnavailable(`Temporal could not be asked${advice === null ? '' : `: ${advice}`}`, {
          cause: error,
        });
      }
      throw error;
    }
  }

  /**
   * Asks for the state of a schedule until it is told, or the time of the request is over. While a schedule handles a
   * change, Temporal keeps few questions about it and refuses the others: "consistent query buffer is full".
   */
  async function describe(name: MaintenanceTaskName) {
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await handle(name).describe();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  async function read(name: MaintenanceTaskName) {
    try {
      const { state, info } = await describe(name);
      const { running, lastRun } = await readRuns(client, info.recentActions);
      const [nextRunAt = null] = info.nextActionTimes;
      return {
        ...{ name, scheduled: true, paused: state.paused, running, lastRun },
        // Temporal also reports a next time for a paused schedule.
        nextRunAt: state.paused ? null : nextRunAt,
      };
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
      return { name, scheduled: false, paused: false, running: false, lastRun: null, nextRunAt: null };
    }
  }

  async function runs(name: MaintenanceTaskName) {
    try {
      const { info } = await describe(name);
      return await listRuns(client, info.recentActions);
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
      return [];
    }
  }

  return {
    list: () => call(stateLimitMs, () => Promise.all(maintenanceTaskNames.map(read))),
    read: (name) => call(stateLimitMs, () => read(name)),
    runs: (name) => call(stateLimitMs, () => runs(name)),
    trigger: (name) => call(changeLimitMs, () => handle(name).trigger(ScheduleOverlapPolicy.SKIP)),
    pause: (name, note) => call(changeLimitMs, () => handle(name).pause(note)),
    resume: (name, note) => call(changeLimitMs, () => handle(name).unpause(note)),
    startBackup: ({ id, workflowId }) =>
      call(stateLimitMs, async () => {
        // Without the schedule, no worker can make backups.
        await describe('backup');
        try {
          await client.workflow.start<typeof upkeep>('upkeep', {
            ...{ workflowId, taskQueue },
            args: [{ task: 'backup', backupId: id }],
            memo: { task: 'backup' },
            workflowExecutionTimeout: runLimits.backup,
            staticSummary: maintenanceTasks.backup.description,
          });
        } catch (error) {
          // The call was sent twice.
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    close: () => connection.close(),
  };
}
