import { expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { send } from '../support/admin-client.ts';
import { startGateway } from '../support/gateway.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

const [oldSecret, newSecret] = [secretText('old-signing'), secretText('new-signing')];

const gateway = useGateway({ worker: false });

interface Account {
  id: string;
  provider: string;
  account_slug: string;
}

const signedAccount = (): Promise<Account> =>
  gateway.admin.createAccount({ skip_signature_verification: false, signing_secret_current: oldSecret });
const patch = (account: Account, change: object) =>
  gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, change);
const webhook = async (account: Account, secret: string, body = `{"id":"${Math.random()}"}`) =>
  (await gateway.send(account, body, { 'x-webhook-secret': secret })).status;
const usesOf = async (account: Account) =>
  (await gateway.admin.request('GET', `/admin/accounts/${account.id}/secrets`)).body;

/** The uses, once they have these counts: they are written every few seconds. */
const counted = (account: Account, current: number, previous: number, unsigned = 0) =>
  until('the uses are written', async () => {
    const uses = await usesOf(account);
    const counts = [uses.current.webhooks, uses.previous.webhooks, uses.unsigned.webhooks];
    return counts.join() === [current, previous, unsigned].join() && uses;
  });

test('a rotation shows which secret the webhooks use; each change of a secret begins its count again', async () => {
  const account = await signedAccount();
  expect(await usesOf(account)).toEqual({
    current: { set: true, webhooks: 0, last_used_at: null },
    previous: { set: false, webhooks: 0, last_used_at: null },
    unsigned: { webhooks: 0, last_used_at: null },
    rejected: { webhooks: 0, last_received_at: null },
  });
  expect(await webhook(account, oldSecret)).toBe(202);
  expect(await webhook(account, oldSecret)).toBe(202);
  // A wrong secret uses none.
  expect(await webhook(account, 'wrong')).toBe(401);
  const before = await counted(account, 2, 0);
  await until('the rejected one is counted', async () => (await usesOf(account)).rejected.webhooks === 1);
  expect(before.current.last_used_at).toEqual(expect.any(String));

  await patch(account, { signing_secret_current: newSecret, signing_secret_previous: oldSecret });
  expect(await usesOf(account)).toMatchObject({
    current: { set: true, webhooks: 0, last_used_at: null },
    previous: { set: true, webhooks: 0, last_used_at: null },
  });
  // Accounts are cached for two seconds, but no webhook is refused by the cache: the first one reads the new secrets.
  expect(await webhook(account, newSecret)).toBe(202);
  expect(await webhook(account, oldSecret)).toBe(202);
  expect(await webhook(account, newSecret)).toBe(202);
  await counted(account, 2, 1);
  expect((await usesOf(account)).rejected).toEqual({ webhooks: 0, last_received_at: null });
  expect(await webhook(account, 'wrong')).toBe(401);
  await until('the rejected one is counted', async () => (await usesOf(account)).rejected.webhooks === 1);

  await patch(account, { signing_secret_previous: null });
  const after = await usesOf(account);
  expect(after.previous).toEqual({ set: false, webhooks: 0, last_used_at: null });
  // Those that were rejected since the new secret was set stay.
  expect(after.rejected).toEqual({ webhooks: 1, last_received_at: expect.any(String) });
});

test('duplicates count, and webhooks without a check of the signature count as unsigned', async () => {
  const account = await signedAccount();
  for (let n = 0; n < 2; n++) await webhook(account, oldSecret, '{"id":"the same"}');
  await patch(account, { skip_signature_verification: true });
  await until('the change is in force', async () => (await webhook(account, 'wrong')) === 202);
  await counted(account, 2, 0, 1);
});

test('what was not written yet is written when the gateway stops', async () => {
  const other = await startGateway({ worker: false });
  const account = await other.admin.createAccount({});
  expect((await other.send(account, '{}')).status).toBe(202);
  const { databaseUrl, keyring } = other;
  await other.stop();
  const after = await startGateway({ worker: false, databaseUrl, keyring });
  const admin = createAdminClient({ baseUrl: after.baseUrl, token: after.adminToken });
  const { data } = await admin.accounts({ account_id: account.id }).secrets.get();
  await after.stop();
  expect(data?.unsigned).toMatchObject({ webhooks: 1 });
});

test('two processes add to the same count', async () => {
  const account = await signedAccount();
  const { databaseUrl, keyring } = gateway;
  const other = await startGateway({ worker: false, databaseUrl, keyring });
  const body = (n: number) => `{"id":"${n}"}`;
  for (let n = 0; n < 10; n++)
    await send([gateway, other][n % 2]?.baseUrl ?? '', account, body(n), { 'x-webhook-secret': oldSecret });
  await other.stop();
  await counted(account, 10, 0);
});

test('an account that does not exist is 404', async () => {
  const answer = await gateway.admin.request('GET', '/admin/accounts/01900000-0000-7000-8000-000000000000/secrets');
  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
