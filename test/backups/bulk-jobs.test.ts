import { expect, test } from 'vitest';
import { settleEvents } from '../../src/backups/settle.ts';
import { pastOf, since } from '../consumers/backfill-support.ts';
import { bulkWorkerOf, entriesOfJob, ordered, readJob, workOff } from '../events/bulk/support.ts';
import { freshDatabase } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';
import { backUp, folderStore, restore } from './support.ts';

test('a job that was running at the backup is stopped by the restore, with an entry in the audit log', async () => {
  const gateway = await startGateway({ worker: false });
  const job = await ordered(gateway, { action: 'replay', filter: { app_key: 'app' } });
  const store = folderStore();
  const { name } = await backUp(gateway.databaseUrl, store, { keyring: gateway.keyring });
  const databaseUrl = await freshDatabase();
  await restore(databaseUrl, store, name, gateway.keyring);
  const restored = await startGateway({ worker: false, databaseUrl, inPlaceOf: gateway });
  expect(await readJob(restored, job.id)).toMatchObject({ state: 'stopping', reason: 'restored', ended_at: null });
  const worker = bulkWorkerOf(restored);
  expect(await worker.round()).toBe('more');
  expect(await worker.round()).toBe('idle');
  expect(await readJob(restored, job.id)).toMatchObject({ state: 'stopped', reason: 'restored', matched: 0 });
  expect((await entriesOfJob(restored, job.id)).at(-1)).toMatchObject({
    ...{ actor: 'tester', action: 'event.bulk_end', details: { state: 'stopped', reason: 'restored' } },
  });
  await Promise.all([gateway.stop(), restored.stop()]);
});

test('a backfill that was running at the backup is stopped by the restore, and can be ordered again', async () => {
  const gateway = await startGateway({ worker: false });
  const past = await pastOf(gateway);
  await past.send({ n: 1 }, { n: 2 });
  const late = await past.consumers.made('late');
  const job = await past.ordered('late', { per_second: 1 });
  expect(await bulkWorkerOf(gateway).round()).toBe('more');
  const store = folderStore();
  const { name } = await backUp(gateway.databaseUrl, store, { keyring: gateway.keyring });
  const databaseUrl = await freshDatabase();
  await restore(databaseUrl, store, name, gateway.keyring);
  const restored = await startGateway({ worker: false, databaseUrl, inPlaceOf: gateway });
  expect(await bulkWorkerOf(restored).round()).toBe('more');
  expect(await readJob(restored, job.id)).toMatchObject({ state: 'stopped', reason: 'restored', done: 1 });
  const again = await restored.admin.post(`${past.consumers.base}/late/backfill`, { since });
  expect([again.status, again.body.total]).toEqual([202, 1]);
  await workOff(restored);
  const made = await restored.rows('select distinct request_id from events where consumer_id = $1', [late.id]);
  expect(made).toHaveLength(2);
  await Promise.all([gateway.stop(), restored.stop()]);
});

test('a restored schema without bulk jobs, that of an older version, is settled too', async () => {
  const gateway = await startGateway({ worker: false });
  const client = await gateway.database.pool.connect();
  try {
    await client.query('drop table bulk_jobs');
    expect(await settleEvents(client)).toEqual({ pending: 0, requeued: 0 });
  } finally {
    client.release();
  }
  await gateway.stop();
});
