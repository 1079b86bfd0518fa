import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { backupFolder } from '../support/backup-folder.ts';
import {
  actionsOf,
  askMaintenance,
  backupEnded,
  backupsOf,
  holdBackups,
  scheduled,
  taskOf,
  triggered,
} from '../support/maintenance.ts';
import { useSchedules } from '../support/schedules.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

const dir = backupFolder();
const keep = 4;
const workflows: string[] = [];
const gateway = useGateway({ maintenance: { backupDir: dir, backupKeep: keep } });
const temporal = useSchedules(gateway);
beforeAll(async () => {
  await scheduled(gateway, 'backup');
});
beforeEach(async () => {
  await gateway.database.pool.query('truncate backups');
  rmSync(dir, { recursive: true, force: true });
});

// A completed backup may still be deleting old files in the folder that the next test empties.
afterEach(async () => {
  for (const id of workflows.splice(0))
    await temporal.client.workflow
      .getHandle(id)
      .result()
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowFailedError)) throw error;
      });
});

async function trigger() {
  const answer = await askMaintenance(gateway, 'POST', '/admin/backups/trigger');
  if (answer.status === 202) workflows.push(answer.body.workflow_id);
  return answer;
}
const files = () => readdirSync(dir).sort();
/** Temporal waits up to 40 s before it retries a failed backup, and a slow machine takes as long for each try. */
const againMs = 180_000;
async function made() {
  const { status, body } = await trigger();
  expect(status).toBe(202);
  return backupEnded(gateway, body.id, againMs);
}
const insert = (columns: Record<string, unknown>) =>
  gateway.database.pool.query(
    `insert into backups (${Object.keys(columns)}) values (${Object.keys(columns).map((_, index) => `$${index + 1}`)})`,
    Object.values(columns),
  );
const uuid = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;

test('a backup that an operator triggers is listed as running, then as completed', async () => {
  const began = Date.now();
  const { status, body } = await trigger();
  expect(status).toBe(202);
  expect(body).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), workflow_id: `backup-${body.id}` });
  const [first] = await backupsOf(gateway);
  expect(first).toMatchObject({ id: body.id, trigger: 'operator' });
  const backup = await backupEnded(gateway, body.id);
  expect(backup).toMatchObject({ status: 'completed', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), error: null });
  expect(backup).toMatchObject({ encrypted: true, key_id: gateway.keyring.current.id });
  expect(backup.name).toMatch(/\.sql\.gz\.enc$/);
  expect(backup.size_bytes).toBeGreaterThan(0);
  expect(backup.rows).toBeGreaterThanOrEqual(0);
  expect(backup.duration_ms).toBeGreaterThan(0);
  expect(Date.parse(backup.created_at)).toBeGreaterThanOrEqual(began - 1_000);
  expect(files()).toEqual([backup.name]);
  expect(await actionsOf(gateway, 'backup.trigger')).toContainEqual([
    'backup.trigger',
    { status: 202, backup_id: body.id, workflow_id: body.workflow_id },
  ]);
});

test('of ten concurrent triggers exactly one is accepted', async () => {
  const held = await holdBackups(gateway.databaseUrl);
  const answers = await Promise.all(Array.from({ length: 10 }, trigger));
  await held.release();
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([202, ...Array(9).fill(409)]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('conflict');
  const id = answers.find(({ status }) => status === 202)?.body.id;
  expect(await backupEnded(gateway, id)).toMatchObject({ status: 'completed' });
  // One that Temporal did not start in time was answered 503, and triggered again.
  const started = (await backupsOf(gateway)).filter(({ error }) => !error?.startsWith('Temporal is not responding'));
  expect(started.map((backup) => backup.id)).toEqual([id]);
});

test('the schedule makes backups too, and skips a run while another backup is running', async () => {
  await triggered(gateway, 'backup');
  const [backup] = await backupsOf(gateway);
  expect(backup).toMatchObject({ status: 'completed', trigger: 'schedule' });
  const { last_run } = await taskOf(gateway, 'backup');
  expect(last_run.result).toMatchObject({ backup_id: backup.id, size_bytes: backup.size_bytes, rows: backup.rows });

  await insert({ id: uuid(1), status: 'running', trigger: 'operator', workflow_id: 'elsewhere' });
  const task = await triggered(gateway, 'backup');
  expect(task.last_run).toMatchObject({ outcome: 'skipped', result: {}, error: null });
  expect((await trigger()).status).toBe(409);
  expect((await backupsOf(gateway)).map(({ status }) => status)).toEqual(['completed', 'running'].sort().reverse());
});

test('a backup without a heartbeat for two minutes is failed, and does not block others', async () => {
  await insert({ id: uuid(2), status: 'running', trigger: 'operator', alive_at: new Date(Date.now() - 121_000) });
  expect(await backupsOf(gateway)).toMatchObject([
    { status: 'failed', error: expect.stringContaining('two minutes'), duration_ms: null },
  ]);
  expect(await made()).toMatchObject({ status: 'completed' });
  const { rows } = await gateway.database.pool.query('select status, error from backups where id = $1', [uuid(2)]);
  expect(rows).toMatchObject([{ status: 'failed', error: 'its worker sent no heartbeat for two minutes' }]);
});

test('a backup that cannot be written is failed, with the reason, and leaves no file', async () => {
  // A file stands where the folder should be.
  writeFileSync(dir, '');
  const backup = await made();
  expect(backup).toMatchObject({ status: 'failed', name: null, size_bytes: null, error: expect.stringContaining(dir) });
  rmSync(dir);
  expect(await made()).toMatchObject({ status: 'completed' });
  expect(files()).toHaveLength(1);
});

test('the oldest beyond BACKUP_KEEP are deleted with their files; failed ones go after 30 days', async () => {
  const day = 86_400_000;
  await insert({ id: uuid(3), status: 'failed', error: 'x', alive_at: new Date(Date.now() - 31 * day) });
  await insert({ id: uuid(4), status: 'failed', error: 'y', alive_at: new Date(Date.now() - 29 * day) });
  const names: string[] = [];
  for (let count = 0; count < keep + 2; count++) names.push((await made()).name);
  // Files are deleted before rows, so that none is left behind.
  const completed = async () => (await backupsOf(gateway)).filter(({ status }) => status === 'completed');
  await until('the oldest backups are deleted', async () => (await completed()).length === keep);
  expect(files()).toEqual(names.slice(-keep).sort());
  const listed = await backupsOf(gateway);
  expect((await completed()).map(({ name }) => name)).toEqual(names.slice(-keep).reverse());
  expect(listed.filter(({ status }) => status === 'failed').map(({ id }) => id)).toEqual([uuid(4)]);
});

test('a missing file is listed as failed, a copy as unverified, and a restored file as completed', async () => {
  const first = await made();
  const archive = readFileSync(join(dir, first.name));
  rmSync(join(dir, first.name));
  const copy = first.name.replace(first.id, uuid(9));
  writeFileSync(join(dir, copy), archive);
  const second = await made();
  const found = await until('the copy is listed', async () =>
    (await backupsOf(gateway)).find(({ name }) => name === copy),
  );
  expect(found).toMatchObject({
    status: 'unverified',
    ...{ trigger: null, sha256: null, rows: null, encrypted: null, key_id: null },
    error: `it was renamed: by its manifest it is ${first.name}`,
    size_bytes: archive.length,
  });
  const lost = await until('the missing file is listed as failed', async () =>
    (await backupsOf(gateway)).find(({ id, status }) => id === first.id && status === 'failed'),
  );
  expect(lost.error).toContain('gone');
  const listed = await backupsOf(gateway);
  expect(listed.find(({ id }) => id === second.id)).toMatchObject({ status: 'completed' });
  // The file is put back.
  writeFileSync(join(dir, first.name), archive);
  await made();
  await until('the restored file is completed', async () =>
    (await backupsOf(gateway)).some(({ id, status }) => id === first.id && status === 'completed'),
  );
  // As after a restore: the file has no row.
  await gateway.database.pool.query('delete from backups where id = $1', [first.id]);
  await made();
  const again = await until('the file has a row again', async () =>
    (await backupsOf(gateway)).find(({ name }) => name === first.name),
  );
  const { rows, encrypted, key_id } = first;
  expect(again).toMatchObject({ status: 'completed', trigger: null, sha256: null, rows, encrypted, key_id });
  // Unverified files are never deleted.
  expect(existsSync(join(dir, copy))).toBe(true);
});
