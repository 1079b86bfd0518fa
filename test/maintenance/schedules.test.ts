import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { MaintenanceSchedules } from '../../src/maintenance/schedules/schedules.ts';
import { maintenanceTaskNames } from '../../src/maintenance/tasks.ts';
import { takenQueues } from '../../src/temporal/taken-queues.ts';
import { backupFolder } from '../support/backup-folder.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestMaintenance } from '../support/gateway-options.ts';
import { askMaintenance, backupsOf, scheduled, taskOf, triggered } from '../support/maintenance.ts';
import { openSchedules } from '../support/schedules.ts';
import { until } from '../support/until.ts';

async function stage(maintenance: TestMaintenance) {
  const gateway = await startGateway({ maintenance });
  const temporal = await openSchedules(gateway.temporal);
  onTestFinished(async () => {
    await temporal.close();
    await gateway.stop();
  });
  const describe = (name: (typeof maintenanceTaskNames)[number]) => temporal.schedule(name).describe();
  const args = async (name: (typeof maintenanceTaskNames)[number]) => (await describe(name)).action.args;
  return { gateway, temporal, describe, args };
}

test('a worker creates a schedule for each task, which skips overlapping runs and catches up on few', async () => {
  const { gateway, describe, args } = await stage({ backupDir: backupFolder(), eventRetentionDays: 30 });
  for (const name of maintenanceTaskNames) {
    await scheduled(gateway, name);
    const { policies, action, state, spec } = await describe(name);
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: name === 'sweep' ? 60_000 : 3_600_000 });
    expect(action).toMatchObject({ workflowType: 'upkeep', taskQueue: gateway.temporal.taskQueue });
    expect(state.paused).toBe(false);
    expect(spec.jitter).toBeGreaterThan(0);
  }
  expect(await args('backup')).toEqual([{ task: 'backup' }]);
  expect(await args('audit-purge')).toEqual([{ task: 'audit-purge', olderThanDays: 90 }]);
  expect(await args('retention')).toEqual([{ task: 'retention', olderThanDays: 30 }]);
  const { last_run } = await triggered(gateway, 'retention');
  expect(last_run.result).toMatchObject({ days_dropped: 0, days_kept_pending: 0, days_kept_busy: 0 });
});

test('a start with other settings changes only the schedule concerned, and keeps it paused', async () => {
  const { gateway, temporal, describe, args } = await stage({ auditRetentionDays: 90 });
  await scheduled(gateway, 'audit-purge');
  await scheduled(gateway, 'retention');
  await temporal.schedule('audit-purge').pause('not before the auditors have been here');
  await gateway.stopWorker();
  const before = await describe('retention');

  await gateway.startWorker({ auditRetentionDays: 30 });
  await until('the schedule is changed', async () => JSON.stringify(await args('audit-purge')).includes('30'));
  await gateway.stopWorker();
  expect(await args('audit-purge')).toEqual([{ task: 'audit-purge', olderThanDays: 30 }]);
  expect((await describe('audit-purge')).state).toMatchObject({
    paused: true,
    note: 'not before the auditors have been here',
  });
  const after = await describe('retention');
  expect(after.info.lastUpdatedAt).toEqual(before.info.lastUpdatedAt);
  expect(after.action).toEqual(before.action);
  expect(after.policies).toEqual(before.policies);
});

test('a worker logs a warning when it changes a schedule of another worker; equal settings change nothing', async () => {
  const { gateway, temporal, args } = await stage({ auditRetentionDays: 90 });
  await scheduled(gateway, 'audit-purge');
  const told: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void told.push(JSON.parse(line)) });
  const changed = async (days: number) => JSON.stringify(await args('audit-purge')).includes(String(days));
  const ensured = async (auditRetentionDays: number) => {
    const settings = {
      backup: { dir: null, url: null, keep: 14, encrypt: true },
      auditRetentionDays,
      eventRetentionDays: null,
    };
    const takes = takenQueues(null, { hasBackupPlace: false });
    const schedules = new MaintenanceSchedules({ ...gateway.temporal, settings, takes, log });
    // The first check finds the difference, and stopping the worker waits for that check.
    schedules.connected(temporal.client.connection);
    schedules.start();
    await until('the schedule has the new setting', () => changed(auditRetentionDays));
    await schedules.stop();
    return told.splice(0).filter(({ schedule }) => schedule !== undefined);
  };
  const schedule = `${gateway.temporal.taskQueue}-upkeep-audit-purge`;
  expect(await ensured(30)).toMatchObject([{ level: 40, schedule, input: { olderThanDays: 30 } }]);
  expect(await ensured(30)).toEqual([]);
});

test('three concurrent workers create one set of schedules', async () => {
  const { gateway, temporal } = await stage({ backupDir: backupFolder() });
  await Promise.all([gateway.startWorker(), gateway.startWorker()]);
  for (const name of maintenanceTaskNames) await scheduled(gateway, name);
  await triggered(gateway, 'backup');
  expect(await backupsOf(gateway)).toHaveLength(1);
  // Temporal lists them a moment later.
  const listed = await until('the schedules are listed', async () => {
    const found: string[] = [];
    for await (const { scheduleId } of temporal.client.schedule.list())
      if (scheduleId.startsWith(gateway.temporal.taskQueue)) found.push(scheduleId);
    return found.length >= maintenanceTaskNames.length && found;
  });
  expect(listed.sort()).toEqual(
    maintenanceTaskNames.map((name) => `${gateway.temporal.taskQueue}-upkeep-${name}`).sort(),
  );
});

test('without a place for backups none are scheduled, and a trigger is refused with the reason', async () => {
  const { gateway } = await stage({});
  await scheduled(gateway, 'sweep');
  await scheduled(gateway, 'retention');
  expect(await taskOf(gateway, 'backup')).toMatchObject({ scheduled: false, next_run_at: null });
  const answer = await askMaintenance(gateway, 'POST', '/admin/backups/trigger');
  expect(answer).toMatchObject({
    status: 409,
    body: { code: 'conflict', detail: expect.stringContaining('BACKUP_DIR or BACKUP_URL') },
  });
  expect(await backupsOf(gateway)).toMatchObject([{ status: 'failed', error: expect.stringContaining('BACKUP_DIR') }]);
});
