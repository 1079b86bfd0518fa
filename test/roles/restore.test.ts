import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { backUp } from '../backups/support.ts';
import { startConsumer } from '../support/consumer.ts';
import { freshDatabase } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';
import { gatewaysEndWithTheirTest, spawnGateway, temporaryFolder } from '../support/gateway-process.ts';
import { gatewayRoles } from '../support/gateway-roles.ts';
import { attemptsOf } from '../support/history.ts';
import { secretsKeyOf } from '../support/keyring.ts';
import { queryOnce } from '../support/one-connection.ts';
import { askToWait } from '../support/replies.ts';
import { until } from '../support/until.ts';
import { openWorkflows } from '../support/workflows.ts';
import { backedUp, restored, tables } from './backed-up.ts';

gatewaysEndWithTheirTest();
// Several processes in sequence, each with the time limit of a start in `gateway-process.ts`.

let sealedBackup: ReturnType<typeof backedUp> | undefined;
/** One encrypted backup for all tests that do not change its file. */
const sealed = () => {
  sealedBackup ??= backedUp();
  return sealedBackup;
};

test('a restored gateway is paused; when resumed, it continues the pending deliveries and no others', async () => {
  const { file, delivered, failing, untried, key, accountId } = await sealed();
  const databaseUrl = await freshDatabase();
  const said = await restored([file, '--into', databaseUrl], { SECRETS_KEY: key });
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toMatch(/Restored .*gateway-.*, made at /);
  expect(said.stdout).toMatch(/^ {2}events +3$/m);
  expect(said.stdout).toContain('2 events are pending; 1 of them had a workflow');
  expect(said.stdout).toContain('Deliveries are PAUSED');
  expect(said.stdout).toContain('The SECRETS_KEY that is set is the one that the backup needs.');
  expect(said.stdout).not.toContain(key);

  const consumer = await startConsumer(200);
  await queryOnce(databaseUrl, 'update accounts set delivery_url = $1 where id = $2', [consumer.url, accountId]);
  // The next attempt would be due in ten minutes.
  await queryOnce(databaseUrl, 'update events set next_attempt_at = now() where next_attempt_at is not null');
  const paused = await queryOnce(
    databaseUrl,
    `delete from gateway_settings where key = 'delivery_paused' returning key`,
  );
  expect(paused).toHaveLength(1);
  const roles = gatewayRoles({ databaseUrl, variables: { SECRETS_KEY: key } });
  await roles.workerHere();
  await until('both events are delivered', () => consumer.deliveries.length >= 2);
  const attempts = await until('both attempts are recorded', async () => {
    const found = await queryOnce<{ event_id: string; number: number; n: number }>(
      databaseUrl,
      'select event_id, max(number) as number, count(*)::integer as n from delivery_attempts group by 1',
    );
    return found.reduce((sum, { n }) => sum + n, 0) === 4 && found;
  });
  expect(Object.fromEntries(attempts.map((row) => [row.event_id, row.number]))).toEqual({
    [delivered]: 1,
    [failing]: 2,
    [untried]: 1,
  });
  expect(consumer.deliveries.map(({ headers }) => headers['webhook-id']).sort()).toEqual([failing, untried].sort());
  await consumer.close();
});

test('an event that was replayed after the backup is delivered once, from its state in the backup', async () => {
  const consumer = await startConsumer(askToWait(503, 1_000), 500);
  // So long that the replay does not end before its worker stops, also on a busy machine.
  const delaysMs = Array.from({ length: 9 }, () => 5_000);
  const old = await startGateway({ delaysMs });
  const workflows = await openWorkflows(old);
  const account = await old.admin.createAccount({ delivery_url: consumer.url });
  const { id } = (await old.send(account, '{"id":"one"}')).body;
  await old.admin.eventually(id, (event) => event.attempts === 1 && event.status === 'enqueued');
  const store = openDirectoryStore(join(temporaryFolder('test'), 'backups'));
  const { name } = await backUp(old.databaseUrl, store, { keyring: old.keyring });
  expect((await old.admin.post(`/admin/events/${id}/replay`)).body.generation).toBe(1);
  await old.admin.eventually(id, (event) => event.generation === 1 && event.attempts >= 1);
  await until('the workflow knows of the replay', async () => {
    const [row] = await queryOnce(old.databaseUrl, 'select started_generation from events');
    return row?.started_generation === 1;
  });
  await old.stopWorker();
  const { runId } = await workflows.status(id);

  const databaseUrl = await freshDatabase();
  const key = secretsKeyOf(old.keyring);
  expect(await restored([join(store.place, name), '--into', databaseUrl], { SECRETS_KEY: key })).toMatchObject({
    code: 0,
  });
  // The attempt would be due in 15 minutes.
  await queryOnce(databaseUrl, 'update events set next_attempt_at = now()');
  const gateway = await startGateway({ databaseUrl, delaysMs, inPlaceOf: old, overdueS: 1 });
  onTestFinished(async () => {
    await gateway.stop();
    await workflows.close();
    await old.stop();
    await consumer.close();
  });
  expect(await gateway.admin.event(id)).toMatchObject({ generation: 0, attempts: 1, delivery_status: 'pending' });
  consumer.replies = [200];
  const sent = consumer.deliveries.length;
  expect((await gateway.admin.post('/admin/delivery/resume')).status).toBe(200);
  await until(
    'the workflow of the replay has ended',
    async () => (await workflows.status(id, runId)).status !== 'RUNNING',
    { retryErrors: true },
  );
  // While the old workflow ran, the sweep may have failed to start a new one. It retries after five minutes.
  await queryOnce(databaseUrl, 'update events set swept_at = null');
  const event = await gateway.admin.eventually(id, ({ delivery_status }) => delivery_status === 'delivered');
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '0 schedule 2 delivered']);
  // By its next workflow, or by the api, if the attempt became due in the queue before the workflow of the replay had ended.
  const ended = await workflows.result(id);
  if (ended.generation === 0) expect(ended).toMatchObject({ attempts: 2 });
  expect(['delivered', 'already_settled', 'superseded']).toContain(ended.outcome);
  expect(consumer.deliveries).toHaveLength(sent + 1);
});

test('without DATABASE_URL a backup of BACKUP_DIR is restored into the database of npm start, once', async () => {
  const { dir, name, key } = await sealed();
  const dataDir = temporaryFolder();
  const variables = { DATA_DIR: dataDir, BACKUP_DIR: dir };
  const keyless = await restored([name], variables);
  expect(keyless.code).toBe(1);
  expect(keyless.stderr).toMatch(/cannot be opened: .* and SECRETS_KEY is not set\. Nothing was written/);
  // Restores the key file of the old gateway.
  openDataDir(dataDir).release();
  mkdirSync(join(dataDir, 'secrets'), { mode: 0o700 });
  writeFileSync(join(dataDir, 'secrets', 'secrets-key'), `${key}\n`, { mode: 0o600 });
  const said = await restored([name], variables);
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toContain('The SECRETS_KEY that is set is the one that the backup needs.');
  const again = await restored([name], variables);
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(/not empty: it has the tables account/);

  const held = openDataDir(dataDir);
  const running = await restored([name], variables);
  held.release();
  expect(running.stderr).toMatch(/Another gateway.*is running on the data folder/);
  expect(running.code).toBe(1);
});

test('the data folder of an interrupted reseal --new-key restores a backup of the previous key', async () => {
  const { dir, name, key } = await backedUp();
  const dataDir = temporaryFolder();
  openDataDir(dataDir).release();
  mkdirSync(join(dataDir, 'secrets'), { mode: 0o700 });
  const keep = (file: string, text: string) =>
    writeFileSync(join(dataDir, 'secrets', file), `${text}\n`, { mode: 0o600 });
  keep('secrets-key', randomBytes(32).toString('base64'));
  keep('secrets-key-previous', key);
  const variables = { DATA_DIR: dataDir, BACKUP_DIR: dir };
  const said = await restored([name], variables);
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toContain('The backup needs SECRETS_KEY_PREVIOUS as it is set');
  const resealing = spawnGateway('reseal', variables);
  expect((await resealing.exited).code).toBe(0);
  expect(resealing.stdout()).toContain('SECRETS_KEY_PREVIOUS can now be removed');

  keep('secrets-key', 'no key');
  const refused = await restored([name], variables);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('secrets/secrets-key holds no key')]);
});

test('with a new SECRETS_KEY and the backup’s key as the previous one, all secrets decrypt until reseal', async () => {
  const { file, key } = await sealed();
  const databaseUrl = await freshDatabase();
  const env = { SECRETS_KEY: randomBytes(32).toString('base64'), SECRETS_KEY_PREVIOUS: key };
  const said = await restored([file], { DATABASE_URL: databaseUrl, ...env });
  expect(said.stdout).toContain('The backup needs SECRETS_KEY_PREVIOUS as it is set');
  const roles = gatewayRoles({ databaseUrl, variables: { SECRETS_KEY: env.SECRETS_KEY } });
  const refused = spawnGateway('api', roles.variables);
  expect((await refused.exited).code).toBe(1);
  expect(refused.stderr()).toContain('set SECRETS_KEY_PREVIOUS to the one that was used before');

  const resealing = spawnGateway('reseal', { ...roles.variables, ...env });
  expect((await resealing.exited).code).toBe(0);
  expect(resealing.stdout()).toContain('SECRETS_KEY_PREVIOUS can now be removed');
  const api = await roles.apiHere();
  expect((await api.admin.request('GET', '/admin/audit-logs/verify')).body).toMatchObject({ ok: true });
});

test('another SECRETS_KEY is refused with the keys’ ids; the old key as SECRETS_KEY_PREVIOUS works', async () => {
  const { file, key, keyring } = await sealed();
  const other = new Uint8Array(randomBytes(32));
  const databaseUrl = await freshDatabase();
  const variables = { DATABASE_URL: databaseUrl, SECRETS_KEY: Buffer.from(other).toString('base64') };
  for (const args of [[file], [file, '--unverified']]) {
    const refused = await restored(args, variables);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      `the SECRETS_KEY whose id is ${keyring.current.id}; the id of the SECRETS_KEY that is set is ${createKeyring(other).current.id}, and SECRETS_KEY_PREVIOUS is not set. Nothing was written.`,
    );
  }
  expect(await queryOnce(databaseUrl, tables)).toEqual([]);
  const said = await restored([file], { ...variables, SECRETS_KEY_PREVIOUS: key });
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toContain('The backup needs SECRETS_KEY_PREVIOUS as it is set');
});
