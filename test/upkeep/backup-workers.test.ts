import { existsSync, readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { backupFolder } from '../support/backup-folder.ts';
import { startGateway } from '../support/gateway.ts';
import { openSchedules } from '../support/schedules.ts';
import { until } from '../support/until.ts';
import { backupEnded, backupsOf, holdBackups, scheduled } from '../support/upkeep.ts';

const timeout = 120_000;

/** A gateway in whose database a backup waits until it may read a table. */
async function stage() {
  const dir = backupFolder();
  const gateway = await startGateway({ upkeep: { backupDir: dir } });
  const temporal = await openSchedules(gateway.temporal);
  let release = async () => {};
  onTestFinished(async () => {
    await release();
    await temporal.close();
    await gateway.stop();
  });
  await scheduled(gateway, 'backup');
  return {
    ...{ gateway, temporal },
    files: () => (existsSync(dir) ? readdirSync(dir, { recursive: true }) : []),
    /** Triggers a backup, which comes as far as that table. */
    async held(): Promise<{ id: string; workflow_id: string }> {
      const held = await holdBackups(gateway.databaseUrl);
      release = held.release;
      const { status, body } = await gateway.admin.post('/admin/backups/trigger');
      expect(status).toBe(202);
      await held.arrived();
      return body;
    },
    release: () => release(),
  };
}

test('a worker that is stopped in the middle: another one begins the same backup anew', { timeout }, async () => {
  const { gateway, files, held, release } = await stage();
  const { id } = await held();
  await gateway.stopWorker();
  expect(await backupsOf(gateway)).toMatchObject([{ id, status: 'running' }]);
  expect(files()).toEqual([]);
  await release();
  await gateway.startWorker();
  const backup = await backupEnded(gateway, id);
  expect(backup).toMatchObject({ status: 'completed', error: null });
  expect(files()).toEqual([backup.name]);
});

test('one that is given up meanwhile leaves neither a file nor a listed backup', { timeout }, async () => {
  const { gateway, temporal, files, held, release } = await stage();
  const { id, workflow_id } = await held();
  await gateway.database.pool.query(`update backups set alive_at = now() - interval '3 minutes'`);
  expect(await backupsOf(gateway)).toMatchObject([{ id, status: 'failed' }]);
  // It hinders no other one; that one goes on as its row says, whoever else has the id.
  const next = await gateway.admin.post('/admin/backups/trigger');
  expect(next.status).toBe(202);
  await release();
  expect(await backupEnded(gateway, next.body.id)).toMatchObject({ status: 'completed' });
  await expect(temporal.client.workflow.getHandle(workflow_id).result()).rejects.toThrow();
  const listed = await backupsOf(gateway);
  expect(listed.map(({ status }) => status)).toEqual(['completed', 'failed']);
  expect(files()).toEqual([listed[0].name]);
});

test('one that an operator cancels in Temporal has failed and says so', { timeout }, async () => {
  const { gateway, temporal, files, held, release } = await stage();
  const { id, workflow_id } = await held();
  await temporal.client.workflow.getHandle(workflow_id).cancel();
  // The worker hears of it with its next heartbeat.
  const { status, error } = await backupEnded(gateway, id);
  await release();
  expect([status, error]).toEqual(['failed', 'it was cancelled']);
  await until('nothing is left of it', () => files().length === 0);
});
