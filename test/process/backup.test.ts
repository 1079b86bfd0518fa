import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';
import { gatewayRoles } from '../support/gateway-roles.ts';
import { askMaintenance, backupEnded, holdBackups, scheduled } from '../support/maintenance.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

test('when a worker is killed during a backup, another worker completes it', async () => {
  const dir = join(temporaryFolder('test'), 'backups');
  const databaseUrl = await migratedDatabase();
  const roles = gatewayRoles({ databaseUrl, variables: { BACKUP_DIR: dir } });
  const [api, worker] = await Promise.all([roles.apiHere(), roles.startWorker()]);
  await scheduled(api, 'backup');
  const held = await holdBackups(databaseUrl);
  onTestFinished(held.release);
  const { status, body } = await askMaintenance(api, 'POST', '/admin/backups/trigger');
  expect(status).toBe(202);
  await held.arrived();
  await worker.stop('SIGKILL');
  await held.release();
  const second = await api.admin.post('/admin/backups/trigger');
  expect([second.status, second.body.code]).toEqual([409, 'conflict']);

  await roles.workerHere();
  const backup = await until('the backup has ended', () => backupEnded(api, body.id).catch(() => null));
  expect(backup).toMatchObject({ id: body.id, status: 'completed', error: null });
  expect(readdirSync(dir, { recursive: true })).toEqual([backup.name]);
});
