import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { backupFolder } from '../support/backup-folder.ts';
import { startGateway } from '../support/gateway.ts';
import { backupEnded, backupsOf, holdBackups, scheduled } from '../support/maintenance.ts';
import { openSchedules } from '../support/schedules.ts';
import { until } from '../support/until.ts';

const timeout = 240_000;
/** Temporal waits up to 40 s before it has a backup that failed begun again. */
const againMs = 90_000;

/** A gateway in whose database a backup waits until it may read a table. */
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
  const backup = await backupEnded(gateway, id, againMs);
  expect(backup).toMatchObject({ status: 'completed', error: null });
  expect(files()).toEqual([backup.name]);
});

/** As if nobody had heard of the backup for three minutes: what its worker says every ten seconds is lost from now on. */
const silence = `
  create function no_sign_of_life() returns trigger language plpgsql as 'begin new.alive_at := old.alive_at; return new; end';
  create trigger silence before update on backups for each row
    when (new.status = 'running' and new.alive_at > old.alive_at) execute function no_sign_of_life();
  update backups set alive_at = now() - interval '3 minutes'`;

test('one that is given up meanwhile leaves neither a file nor a listed backup', { timeout }, async () => {
  const { gateway, temporal, files, held, release } = await stage();
  const { id, workflow_id } = await held();
  await gateway.database.pool.query(silence);
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

/** How many tries of the backup have begun, with the one that waits for its time. */
async function tries(temporal: Awaited<ReturnType<typeof stage>>['temporal'], workflowId: string) {
  const { raw } = await temporal.client.workflow.getHandle(workflowId).describe();
  return raw.pendingActivities?.[0]?.attempt ?? 0;
}

test('a store that fails for once after a worker was stopped is tried again', { timeout }, async () => {
  const { gateway, temporal, dir, files, held, release } = await stage();
  const { id, workflow_id } = await held();
  await gateway.stopWorker();
  await release();
  rmSync(dir, { recursive: true, force: true });
  writeFileSync(dir, 'no folder');
  await gateway.startWorker();
  await until('the second try has failed', async () => (await tries(temporal, workflow_id)) === 3, againMs);
  rmSync(dir);
  const backup = await backupEnded(gateway, id, againMs);
  expect(backup).toMatchObject({ status: 'completed', error: null });
  expect(files()).toEqual([backup.name]);
});

test('a store that fails twice fails the backup, and says why', { timeout }, async () => {
  const { gateway, temporal, dir } = await stage();
  writeFileSync(dir, 'no folder');
  const { body } = await gateway.admin.post('/admin/backups/trigger');
  const { status, error } = await backupEnded(gateway, body.id, againMs);
  expect([status, error]).toEqual(['failed', expect.stringContaining(`The backup folder ${dir} cannot be used`)]);
  const { events } = await temporal.client.workflow.getHandle(body.workflow_id).fetchHistory();
  const begun = events?.flatMap((event) => event.activityTaskStartedEventAttributes?.attempt ?? []);
  expect(begun?.[0]).toBe(2);
  rmSync(dir);
});

test('one that an operator cancels in Temporal has failed and says so', { timeout }, async () => {
  const { gateway, temporal, files, held, release } = await stage();
  const { id, workflow_id } = await held();
  await temporal.client.workflow.getHandle(workflow_id).cancel();
  // The worker hears of it with its next heartbeat.
  const { status, error } = await backupEnded(gateway, id, againMs);
  await release();
  expect([status, error]).toEqual(['failed', 'it was cancelled']);
  await until('nothing is left of it', () => files().length === 0);
});
