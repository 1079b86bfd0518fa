import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { sharedServers, startWholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest, spawnGateway, temporaryFolder } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { withClient } from '../support/one-connection.ts';
import { copyPrepared } from '../support/prepared.ts';
import { until } from '../support/until.ts';
import { idOf, newKey, reseal, settingsOfStep, verify } from './resealing.ts';

gatewaysEndWithTheirTest();

test('after reseal was killed, the next run continues, and a further run finds nothing to do', async () => {
  const keys = { old: newKey(), new: newKey() };
  const roles = await migratedRoles({ SECRETS_KEY: keys.old });
  const api = await roles.apiHere();
  const account = await api.admin.createAccount({ delivery_secret: 'delivery secret' });
  await api.admin.post(`/admin/accounts/${account.id}/destinations`, {
    ...{ destination_type: 'webhook', name: 'told', config: { url: 'http://127.0.0.1:9/' } },
  });
  await roles.query(
    `insert into notification_summaries (id, destination_id, account_id, destination_type, config, provider, account_slug, app_key, events,
       first_event_ids, first_received_at, last_received_at, first_failed_at, last_failed_at, status)
     select gen_random_uuid(), id, account_id, destination_type, config, 'generic', 'a', 'b', 2, '{}', now(), now(), now(), now(), 'sent'
     from destinations, generate_series(1, 2000)`,
  );
  const env = { ...roles.variables, ...settingsOfStep(2, keys) };
  const sealedWith = async (key: string) => {
    const [row] = await roles.query<{ n: number }>(
      'select count(*)::integer as n from notification_summaries where substring(config from 2 for 4) = $1',
      [Buffer.from(idOf(key), 'hex')],
    );
    return row?.n ?? 0;
  };
  // Reseal changes them in the order of their ids, some hundreds at a time, and stops at this one.
  await withClient(roles.databaseUrl, async (holder) => {
    await holder.query('begin');
    const middle = 'select id from notification_summaries order by id offset 1000 limit 1';
    await holder.query(`select from notification_summaries where id = (${middle}) for update`);
    const killed = spawnGateway('reseal', env);
    await until('reseal has started', async () => (await sealedWith(keys.new)) > 0);
    killed.signal('SIGKILL');
    await killed.exited;
  });
  const left = await sealedWith(keys.old);
  expect(left).toBeGreaterThan(0);
  // Now some boxes have the old key and some the new one, and a process with the settings of step 2 opens both.
  const between = await roles.apiHere(settingsOfStep(2, keys));
  expect((await between.admin.request('GET', `/admin/accounts/${account.id}/destinations`)).status).toBe(200);
  expect(await verify(between.admin)).toMatchObject({ ok: true });
  // A process from before step 1 would continue to encrypt with the old key.
  await api.stop();
  const done = await reseal(env);
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(await sealedWith(keys.old)).toBe(0);
  const again = await reseal(env);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('0 values were sealed again')]);
});

test('a secret that cannot be decrypted is listed with exit code 1; reseal succeeds once it was set again', async () => {
  const keys = { old: newKey(), new: newKey() };
  const roles = await migratedRoles({ SECRETS_KEY: keys.old });
  const before = await roles.apiHere();
  const account = await before.admin.createAccount({ delivery_secret: 'delivery secret' });
  await before.stop();
  await roles.query(
    'update accounts set delivery_secret = set_byte(delivery_secret, 30, 255 - get_byte(delivery_secret, 30))',
  );
  const env = { ...roles.variables, ...settingsOfStep(2, keys) };
  const done = await reseal(env);
  expect(done.code).toBe(1);
  expect(done.stdout).toContain(
    `1 in accounts.delivery_secret could not be opened:\n  ${account.id}: does not decrypt ${idOf(keys.old)}`,
  );
  expect(done.stdout + done.stderr).not.toContain('can now be removed');
  expect(done.stderr).toContain(`1 in accounts.delivery_secret name key ${idOf(keys.old)}`);
  const api = await roles.apiHere(settingsOfStep(2, keys));
  await api.admin.request('PATCH', `/admin/accounts/${account.id}`, { delivery_secret: 'set again' });
  expect((await reseal(env)).stdout).toContain('can now be removed');
});

test.each([
  [['--unknown'], 'npm run reseal'],
  [['--check', '--back'], 'npm run reseal'],
  [['--new-key'], 'openssl rand -base64 32'],
])('reseal %j is refused with a hint', async (args, says) => {
  const roles = await migratedRoles({});
  const { code, stderr } = await reseal(roles.variables, args);
  expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('npm start: reseal --new-key changes the key in the data folder', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const without = await reseal({ DATA_DIR: dataDir }, ['--new-key']);
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('SECRETS_KEY is not set')]);
  expect(existsSync(dataDir)).toBe(false);

  mkdirSync(dataDir);
  await copyPrepared('started', dataDir);
  const { TEMPORAL_ADDRESS = '', TEMPORAL_TASK_QUEUE = '' } = await sharedServers();
  const gateway = await startWholeGateway(dataDir, { TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE });
  const secret = 'the secret of the provider';
  const account = await gateway.admin.createAccount({
    skip_signature_verification: false,
    signing_secret_current: secret,
  });
  const runningOn = await reseal({ DATA_DIR: dataDir }, ['--new-key']);
  expect(runningOn.code).toBe(1);
  await gateway.stop();
  const file = join(dataDir, 'secrets', 'secrets-key');
  const old = readFileSync(file, 'utf8').trim();

  const done = await reseal({ DATA_DIR: dataDir }, ['--new-key']);
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(done.stdout).toContain(`secrets-key-${idOf(old)}`);
  expect(readFileSync(file, 'utf8').trim()).not.toBe(old);
  const files = readdirSync(join(dataDir, 'secrets')).filter((name) => name.startsWith('secrets-key'));
  expect(files.sort()).toEqual(['secrets-key', `secrets-key-${idOf(old)}`]);

  const after = await startWholeGateway(dataDir, { TEMPORAL_ADDRESS, TEMPORAL_TASK_QUEUE });
  const { status } = await send(after.baseUrl, account, '{"id":"after"}', {
    ...{ 'content-type': 'application/json', 'x-webhook-secret': secret },
  });
  expect(status).toBe(202);
  expect(await verify(after.admin)).toMatchObject({ ok: true });
});
