import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { backupFolder } from '../support/backup-folder.ts';
import { startGateway } from '../support/gateway.ts';
import { askMaintenance, backupEnded, backupsOf, holdBackups, scheduled } from '../support/maintenance.ts';
import { onLine } from '../support/runtime.ts';
import { openSchedules } from '../support/schedules.ts';
import { until } from '../support/until.ts';

/** Temporal waits up to 40 s before it retries a failed backup. */
const againMs = 180_000;

/** A gateway whose backups wait for a lock on a table. */
async function stage() {
  const dir = backupFolder();
  const gateway = await startGateway({ maintenance: { backupDir: dir } });
  const temporal = await openSchedules(gateway.temporal);
  let release = async () => {};
  onTestFinished(async () => {
    await release();
    await temporal.close();
    await gateway.stop();
  });
  await scheduled(gateway, 'backup');
  return {
    ...{ gateway, temporal, dir },
    files: () => (existsSync(dir) ? readdirSync(dir, { recursive: true }) : []),
    /** Triggers a backup and waits until it waits for the lock. */
    async held(): Promise<{ id: string; workflow_id: string }> {
      const held = await holdBackups(gateway.databaseUrl);
      release = held.release;
      const { status, body } = await askMaintenance(gateway, 'POST', '/admin/backups/trigger');
      expect(status).toBe(202);
      await held.arrived();
      return body;
    },
    release: () => release(),
  };
}

test('when a worker is stopped during a backup, another worker starts the same backup again', async () => {
  const { gateway, files, held, release } = await stage();
  const { id } = await held();
  await gateway.stopWorker();
  expect(await backupsOf(gateway)).toMatchObject([{ id, status: 'running' }]);
  expect(files()).toEqual([]);
  await release();
  await gateway.startWorker();
  const backup = await backupEnded(gateway, id, againMs);
  expect(backup).toMatchObject({ status: 'completed', error: null });
  expect(files()).toEqual([backup.name]);
});

/** Sets the last heartbeat of the backup back by three minutes and drops all later ones (one every ten seconds). */
const silence = `
  create function no_sign_of_life() returns trigger language plpgsql as 'begin new.alive_at := old.alive_at; return new; end';
  create trigger silence before update on backups for each row
    when (new.status = 'running' and new.alive_at > old.alive_at) execute function no_sign_of_life();
  update backups set alive_at = now() - interval '3 minutes'`;

test('a backup that was given up while it ran leaves neither a file nor a listed backup', async () => {
  const { gateway, temporal, files, held, release } = await stage();
  const { id, workflow_id } = await held();
  await gateway.database.pool.query(silence);
  expect(await backupsOf(gateway)).toMatchObject([{ id, status: 'failed' }]);
  // A backup that was given up does not block the next one.
  const next = await askMaintenance(gateway, 'POST', '/admin/backups/trigger');
  expect(next.status).toBe(202);
  // A file that is complete before its worker learns of it may be found, and listed as completed.
  await expect(temporal.client.workflow.getHandle(workflow_id).result()).rejects.toThrow();
  await release();
  expect(await backupEnded(gateway, next.body.id)).toMatchObject({ status: 'completed' });
  const listed = await backupsOf(gateway);
  expect(listed.map(({ status }) => status)).toEqual(['completed', 'failed']);
  expect(files()).toEqual([listed[0].name]);
});

test('a first failure of the store after a worker was stopped is retried', async () => {
  const { gateway, dir, files, held, release } = await stage();
  const { id } = await held();
  await gateway.stopWorker();
  await release();
  rmSync(dir, { recursive: true, force: true });
  writeFileSync(dir, 'no folder');
  const failed: unknown[] = [];
  // Within the try that fails: the next one follows after ten seconds, while a busy machine may still start the worker.
  onLine('maintenance task failed', ({ attempt }) => {
    failed.push(attempt);
    rmSync(dir, { force: true });
  });
  await gateway.startWorker();
  const backup = await backupEnded(gateway, id, againMs);
  expect(failed).toHaveLength(1);
  expect(backup).toMatchObject({ status: 'completed', error: null });
  expect(files()).toEqual([backup.name]);
});

test('a second failure of the store fails the backup, with the reason', async () => {
  const { gateway, temporal, dir } = await stage();
  writeFileSync(dir, 'no folder');
  const { body } = await askMaintenance(gateway, 'POST', '/admin/backups/trigger');
  const { status, error } = await backupEnded(gateway, body.id, againMs);
  expect([status, error]).toEqual(['failed', expect.stringContaining(`The backup folder ${dir} cannot be used`)]);
  const { events } = await temporal.client.workflow.getHandle(body.workflow_id).fetchHistory();
  const begun = events?.flatMap((event) => event.activityTaskStartedEventAttributes?.attempt ?? []);
  expect(begun?.[0]).toBe(2);
  rmSync(dir);
});

test('a backup that an operator cancels in Temporal is failed, with that reason', async () => {
  const { gateway, temporal, files, held, release } = await stage();
  const { id, workflow_id } = await held();
  await temporal.client.workflow.getHandle(workflow_id).cancel();
  // The worker learns of the cancellation at its next heartbeat.
  const { status, error } = await backupEnded(gateway, id, againMs);
  await release();
  expect([status, error]).toEqual(['failed', 'it was cancelled']);
  await until('nothing is left of it', () => files().length === 0);
});
