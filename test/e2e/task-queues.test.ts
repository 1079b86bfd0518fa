import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import type { Purpose } from '../../workflows/queues.ts';
import { backupFolder } from '../support/backup-folder.ts';
import { startConsumer } from '../support/consumer.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGatewayOptions } from '../support/gateway-options.ts';
import { askMaintenance, backupEnded, backupsOf, holdBackups, scheduled, triggered } from '../support/maintenance.ts';
import { openSchedules } from '../support/schedules.ts';

// Each purpose of a worker has a task queue of its own (docs/task-queues.md).

async function stage(options: TestGatewayOptions) {
  const gateway = await startGateway({ worker: false, apiDelivers: false, delaysMs: [], ...options });
  const consumer = await startConsumer(500);
  const operators = await startConsumer(200);
  const temporal = await openSchedules(gateway.temporal);
  onTestFinished(async () => {
    await temporal.close();
    await gateway.stop();
    await Promise.all([consumer.close(), operators.close()]);
  });
  const takes = (...queues: Purpose[]) =>
    gateway.startWorker({ queues, ...(queues.includes('backups') ? { backupDir: backupFolder() } : {}) });
  return { gateway, temporal: temporal.client, takes, consumer, operators };
}

/** The queue of each activity that a workflow has scheduled. */
async function queuesOf({ workflow }: Client, workflowId: string): Promise<Record<string, string>> {
  const { events } = await workflow.getHandle(workflowId).fetchHistory();
  const scheduledOn = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  return Object.fromEntries(scheduledOn.map(({ activityType, taskQueue }) => [activityType?.name, taskQueue?.name]));
}

test('each activity is on the queue of its purpose; attempts are on that of their workflow', async () => {
  const { gateway, temporal, consumer, operators } = await stage({ maintenance: { backupDir: backupFolder() } });
  await gateway.startWorker();
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const destination = { destination_type: 'webhook', name: 'Operators', config: { url: operators.url } };
  await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, destination);
  const { body } = await gateway.send(account, '{"id":"one"}');
  await gateway.admin.eventually(body.id, (event) => event.notifications[0]?.status === 'sent');
  const { taskQueue } = gateway.temporal;
  expect(await queuesOf(temporal, `event-${body.id}`)).toEqual({
    attemptDelivery: taskQueue,
    notifyWebhook: `${taskQueue}-notifications`,
  });
  await scheduled(gateway, 'backup');
  const { body: backup } = await askMaintenance(gateway, 'POST', '/admin/backups/trigger');
  expect(await backupEnded(gateway, backup.id)).toMatchObject({ status: 'completed' });
  expect(await queuesOf(temporal, backup.workflow_id)).toEqual({ makeBackup: `${taskQueue}-backups` });
});

test('a backup that lasts holds up no other task, and no other worker that stops', async () => {
  const { gateway, takes } = await stage({ maintenance: {} });
  await takes('backups');
  const others = await takes('deliveries', 'notifications', 'maintenance');
  await scheduled(gateway, 'backup');
  const hold = await holdBackups(gateway.databaseUrl);
  onTestFinished(() => hold.release());
  const { body: backup } = await askMaintenance(gateway, 'POST', '/admin/backups/trigger');
  await hold.arrived();
  expect((await triggered(gateway, 'sweep')).last_run).toMatchObject({ outcome: 'completed' });
  await others.stop();
  expect((await backupsOf(gateway))[0]).toMatchObject({ id: backup.id, status: 'running' });
  await hold.release();
  // The workflow of the backup continues with the next worker of deliveries.
  await takes('deliveries', 'notifications', 'maintenance');
  expect(await backupEnded(gateway, backup.id)).toMatchObject({ status: 'completed' });
});

test('a worker without a place for backups fails none: another worker takes each of them', async () => {
  const { gateway, takes } = await stage({ maintenance: {} });
  for (const _ of [1, 2, 3]) await takes('deliveries', 'notifications', 'maintenance');
  await takes('backups');
  await scheduled(gateway, 'backup');
  const { last_run } = await triggered(gateway, 'backup');
  expect(last_run).toMatchObject({ outcome: 'completed', result: { rows: expect.any(Number) } });
});

test('a backup that no worker takes fails within two minutes, with what to do about it', async () => {
  const { gateway, takes } = await stage({ maintenance: {} });
  const backups = await takes('backups');
  await scheduled(gateway, 'backup');
  await backups.stop();
  await takes('deliveries', 'notifications', 'maintenance');
  const { last_run } = await triggered(gateway, 'backup', 220_000);
  const error = expect.stringContaining('no worker takes backups: run one with BACKUP_DIR or BACKUP_URL');
  expect(last_run).toMatchObject({ outcome: 'failed', error });
  expect(await backupsOf(gateway)).toMatchObject([{ status: 'failed', error }]);
});

test('a notification waits for a worker that takes notifications, and deliveries continue', async () => {
  const { gateway, takes, consumer, operators } = await stage({ maintenance: {} });
  await takes('deliveries');
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const destination = { destination_type: 'webhook', name: 'Operators', config: { url: operators.url } };
  await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, destination);
  const { body: first } = await gateway.send(account, '{"id":"one"}');
  await gateway.admin.eventually(first.id, (event) => event.delivery_status === 'failed');
  const { body: second } = await gateway.send(account, '{"id":"two"}');
  await gateway.admin.eventually(second.id, (event) => event.delivery_status === 'failed');
  await sleep(100);
  expect((await gateway.admin.event(first.id)).notifications).toMatchObject([{ status: 'pending', attempts: 0 }]);
  await takes('notifications');
  for (const { id } of [first, second])
    await gateway.admin.eventually(id, (event) => event.notifications[0]?.status === 'sent');
});

test('a worker that does not take deliveries makes no attempt', async () => {
  const { gateway, takes, consumer } = await stage({ maintenance: {} });
  await takes('notifications', 'maintenance', 'backups');
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const { body } = await gateway.send(account, '{"id":"one"}');
  // A worker of deliveries looks every second for first attempts that no api makes.
  await sleep(1_500);
  expect(await gateway.admin.event(body.id)).toMatchObject({ status: 'received', attempts: 0 });
  await takes('deliveries');
  await gateway.admin.eventually(body.id, (event) => event.delivery_status === 'failed');
});
