import { expect, test } from 'vitest';
import { backupFolder } from '../support/backup-folder.ts';
import { accountForTest } from '../support/consumer.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGatewayOptions } from '../support/gateway-options.ts';
import { actionsOf, backupsOf } from '../support/maintenance.ts';
import { forTest } from '../support/use.ts';

const asked = [
  ['GET', '/admin/upkeep'],
  ['GET', '/admin/upkeep/sweep/runs'],
  ['POST', '/admin/upkeep/backup/trigger'],
  ['POST', '/admin/upkeep/backup/pause'],
  ['POST', '/admin/upkeep/backup/resume'],
] as const;

/** No process ever listens on port 1. A port that is merely free now could be given to another test. */
const closedPort = '127.0.0.1:1';

async function startWithout(options: TestGatewayOptions) {
  const gateway = await forTest(startGateway(options));
  return gateway;
}

test('without Temporal, /admin/upkeep returns 503, a backup fails at once, and webhooks are delivered', async () => {
  const gateway = await startWithout({ temporalAddress: closedPort, maintenance: { backupDir: backupFolder() } });
  const { account } = await accountForTest(gateway.admin, 200);
  const answers = Promise.all(
    [...asked, ['POST', '/admin/backups/trigger'] as const].map(([method, path]) =>
      gateway.admin.request(method, path),
    ),
  );
  const { status, body } = await gateway.send(account, '{"id":"1"}');
  expect(status).toBe(202);
  await gateway.admin.eventually(body.id, ({ delivery_status }) => delivery_status === 'delivered');
  for (const answer of await answers) {
    expect(answer).toMatchObject({ status: 503, body: { code: 'engine_unavailable', status: 503 } });
    expect(answer.headers.get('retry-after')).toBe('5');
    // The address of Temporal and its client's error are internal.
    expect(JSON.stringify(answer.body)).not.toContain(closedPort);
  }
  expect(await backupsOf(gateway)).toMatchObject([
    { status: 'failed', trigger: 'operator', error: expect.stringContaining('Temporal is not responding') },
  ]);
  const failed = { status: 503, code: 'engine_unavailable' };
  const maintenance = await actionsOf(gateway, 'upkeep.');
  expect(maintenance).toHaveLength(asked.length);
  for (const [, details] of maintenance) expect(details).toMatchObject(failed);
  const [{ id: backup_id }] = (await backupsOf(gateway)) as [{ id: string }];
  // The first entry commits with the backup's row; the second records the failure.
  expect(await actionsOf(gateway, 'backup.trigger')).toEqual([
    ['backup.trigger', { backup_id, ...failed }],
    ['backup.trigger', { status: 202, backup_id, workflow_id: `backup-${backup_id}` }],
  ]);
});

test('an api without TEMPORAL_ADDRESS names the missing variable in its 503', async () => {
  const gateway = await startWithout({ apiWithoutTemporal: true, worker: false });
  for (const [method, path] of asked) {
    const answer = await gateway.admin.request(method, path);
    expect(answer).toMatchObject({ status: 503, body: { code: 'engine_unavailable' } });
    expect(answer.body.detail).toContain('TEMPORAL_ADDRESS');
  }
  expect((await gateway.admin.request('GET', '/admin/backups')).body).toEqual([]);
  // An unknown task is 404 with or without Temporal.
  expect((await gateway.admin.post('/admin/upkeep/nothing/trigger')).status).toBe(404);
});
