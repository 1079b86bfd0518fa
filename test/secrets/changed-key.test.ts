import { expect, onTestFinished, test } from 'vitest';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { send } from '../support/admin-client.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGatewayOptions } from '../support/gateway-options.ts';
import { randomKeyring } from '../support/keyring.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';

async function gatewayWith(options: TestGatewayOptions) {
  const gateway = await startGateway({ worker: false, apiWithoutTemporal: true, ...options });
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= gateway.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { ...gateway, stop };
}

const verifying = { skip_signature_verification: false };
const withSecret = (secret: string) => ({ 'content-type': 'application/json', 'x-webhook-secret': secret });

const verified = async (gateway: Awaited<ReturnType<typeof gatewayWith>>) =>
  (await gateway.admin.request('GET', '/admin/audit-logs/verify')).body;

test('with a new key and the previous one, webhooks verify, and so does the audit log across both keys', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const before = await gatewayWith({ keyring: old });
  const account = await before.admin.createAccount({ ...verifying, signing_secret_current: 'secret-of-before' });
  await before.stop();

  const { databaseUrl } = before;
  const after = await gatewayWith({
    databaseUrl,
    keyring: createKeyring(next.current.bytes, old.current.bytes),
  });
  expect((await send(after.baseUrl, account, '{"id":"one"}', withSecret('secret-of-before'))).status).toBe(202);
  await after.admin.request('PATCH', `/admin/accounts/${account.id}`, { delivery_secret: 'secret-of-after' });
  expect(await verified(after)).toMatchObject({ ok: true, failure: null });
});

test('two processes that encrypt with different keys, each with both keys, work side by side', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const one = await gatewayWith({ keyring: createKeyring(old.current.bytes, next.current.bytes) });
  const { databaseUrl } = one;
  const two = await gatewayWith({ databaseUrl, keyring: createKeyring(next.current.bytes, old.current.bytes) });
  for (let round = 0; round < 5; round += 1) {
    for (const [writer, reader] of [
      [one, two],
      [two, one],
    ] as const) {
      const account = await writer.admin.createAccount({ ...verifying, signing_secret_current: `secret-${round}` });
      expect(
        (await send(reader.baseUrl, account, `{"id":"${account.id}"}`, withSecret(`secret-${round}`))).status,
      ).toBe(202);
    }
    expect(await verified(round % 2 === 0 ? one : two)).toMatchObject({ ok: true, failure: null });
  }
});

test('a process without the new key leaves audit entries of that key to be sealed by other processes', async () => {
  const [old, next] = [randomKeyring(), randomKeyring()];
  const behind = await gatewayWith({ keyring: old });
  const ahead = await gatewayWith({
    databaseUrl: behind.databaseUrl,
    keyring: createKeyring(next.current.bytes, old.current.bytes),
  });
  for (let n = 0; n < 10; n += 1) {
    await ahead.admin.request('GET', '/admin/accounts');
    await behind.admin.request('GET', '/admin/accounts');
  }
  await behind.stop();
  const left = 'select count(*)::integer as n from audit_logs where seq is null';
  await until('all entries are sealed', async () => (await rows(ahead.database, left))[0]?.n === 0);
  expect(await verified(ahead)).toMatchObject({ ok: true, failure: null });
});
