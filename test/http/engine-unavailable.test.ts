import { expect, onTestFinished, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { backupFolder } from '../support/backup-folder.ts';
import { startConsumer } from '../support/consumer.ts';
import { startGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { actionsOf, backupsOf } from '../support/maintenance.ts';

const asked = [
  ['GET', '/admin/upkeep'],
  ['POST', '/admin/upkeep/backup/trigger'],
  ['POST', '/admin/upkeep/backup/pause'],
  ['POST', '/admin/upkeep/backup/resume'],
] as const;

/** Where nobody ever listens: another test may be given a port that is free at the moment. */
const nobody = '127.0.0.1:1';

async function startWithout(options: TestGatewayOptions) {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.stop());
  return gateway;
}

test('while Temporal is away the upkeep is 503, a backup fails at once, and webhooks are delivered all the same', async () => {
  const gateway = await startWithout({ temporalAddress: nobody, maintenance: { backupDir: backupFolder() } });
  const consumer = await startConsumer(200);
  onTestFinished(() => consumer.close());
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const answers = Promise.all(
    [...asked, ['POST', '/admin/backups/trigger'] as const].map(([method, path]) =>
      gateway.admin.request(method, path),
    ),
  );
  const { status, body } = await send(gateway.baseUrl, account, '{"id":"1"}');
  expect(status).toBe(202);
  await gateway.admin.eventually(body.id, ({ delivery_status }) => delivery_status === 'delivered');
  for (const answer of await answers) {
    expect(answer).toMatchObject({ status: 503, body: { code: 'engine_unavailable', status: 503 } });
    expect(answer.headers.get('retry-after')).toBe('5');
    // Where Temporal is, and what its client says, is nobody's business.
    expect(JSON.stringify(answer.body)).not.toContain(nobody);
  }
  expect(await backupsOf(gateway)).toMatchObject([
    { status: 'failed', trigger: 'operator', error: expect.stringContaining('Temporal is not responding') },
  ]);
  const failed = { status: 503, code: 'engine_unavailable' };
  const maintenance = await actionsOf(gateway, 'upkeep.');
  expect(maintenance).toHaveLength(asked.length);
  for (const [, details] of maintenance) expect(details).toMatchObject(failed);
  const [{ id: backup_id }] = (await backupsOf(gateway)) as [{ id: string }];
  // The row was written, and then it failed.
  expect(await actionsOf(gateway, 'backup.trigger')).toEqual([
    ['backup.trigger', { backup_id, ...failed }],
    ['backup.trigger', { status: 202, backup_id, workflow_id: `backup-${backup_id}` }],
  ]);
});

test('an api without TEMPORAL_ADDRESS says so', async () => {
  const gateway = await startWithout({ apiWithoutTemporal: true, worker: false });
  for (const [method, path] of asked) {
    const answer = await gateway.admin.request(method, path);
    expect(answer).toMatchObject({ status: 503, body: { code: 'engine_unavailable' } });
    expect(answer.body.detail).toContain('TEMPORAL_ADDRESS');
  }
  expect((await gateway.admin.request('GET', '/admin/backups')).body).toEqual([]);
  // What there is not is not there either way.
  expect((await gateway.admin.post('/admin/upkeep/nothing/trigger')).status).toBe(404);
});
