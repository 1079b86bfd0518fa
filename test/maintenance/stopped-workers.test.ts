import { expect, onTestFinished, test } from 'vitest';
import { lockKeys } from '../../src/database/lock-keys.ts';
import { ensurePartitions, partitionDays } from '../../src/database/partitions.ts';
import type { MaintenanceTaskName } from '../../src/maintenance/tasks.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestMaintenance } from '../support/gateway-options.ts';
import { actionsOf, askMaintenance, scheduled, taskOf } from '../support/maintenance.ts';
import { openClient } from '../support/one-connection.ts';
import { openSchedules } from '../support/schedules.ts';
import { until } from '../support/until.ts';

// A worker that is stopped does not wait for a maintenance task: the next worker starts the task again.

const dayMs = 86_400_000;
const startedState = 2;
/** Temporal waits up to a minute before it retries a failed task. */
const againMs = 200_000;

/** A gateway whose next run of a task waits for an advisory lock. */
async function stage(name: MaintenanceTaskName, maintenance: TestMaintenance, lockKey: number) {
  const gateway = await startGateway({ maintenance });
  const temporal = await openSchedules(gateway.temporal);
  const holder = await openClient(gateway.databaseUrl);
  onTestFinished(async () => {
    await temporal.close();
    await gateway.stop();
  });
  await scheduled(gateway, name);
  return {
    gateway,
    /** Stops the worker during the task, and releases the lock. */
    async stopDuringTask() {
      await holder.query('select pg_advisory_lock($1)', [lockKey]);
      expect((await askMaintenance(gateway, 'POST', `/admin/upkeep/${name}/trigger`)).status).toBe(202);
      await until('the task runs', async () => {
        const { recentActions } = (await temporal.schedule(name).describe()).info;
        const workflowId = recentActions.at(-1)?.action.workflow.workflowId;
        if (workflowId === undefined) return false;
        const { raw } = await temporal.client.workflow.getHandle(workflowId).describe();
        return raw.pendingActivities?.[0]?.state === startedState;
      });
      const stopped = gateway.stopWorker();
      // The task is told to end right after the worker's row is gone. It needs the lock for its next step.
      await until('the worker ends its tasks', async () => {
        const { rows } = await holder.query("select from processes where role = 'worker'");
        return rows.length === 0;
      });
      await holder.end();
      await stopped;
    },
    /** Starts a worker and waits until the task has run. */
    async finished() {
      await gateway.startWorker();
      return until(
        'the task has run',
        async () => {
          const { running, last_run } = await taskOf(gateway, name);
          return !running && last_run;
        },
        againMs,
      );
    },
  };
}

test('retention stops after the day that it is dropping', async () => {
  const { gateway, stopDuringTask, finished } = await stage(
    'retention',
    { eventRetentionDays: 10 },
    lockKeys.statistics,
  );
  await ensurePartitions(gateway.database, new Date(Date.now() - 60 * dayMs), 30);
  const days = async () => (await partitionDays(gateway.database)).length;
  const before = await days();
  await stopDuringTask();
  expect(before - (await days())).toBeLessThanOrEqual(1);
  const { outcome, result } = await finished();
  expect(outcome).toBe('completed');
  expect(result.days_dropped).toBeGreaterThanOrEqual(30);
});

test('the audit purge stops before it deletes', async () => {
  const { gateway, stopDuringTask, finished } = await stage('audit-purge', {}, lockKeys.auditChain);
  await stopDuringTask();
  expect(await actionsOf(gateway, 'audit.purge')).toEqual([]);
  expect(await finished()).toMatchObject({ outcome: 'completed', result: { deleted: 0 } });
  expect(await actionsOf(gateway, 'audit.purge')).toHaveLength(1);
});
