import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { secretText } from '../support/secrets.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway({ worker: false });
const [oldSecret, newSecret] = [secretText('old-signing-secret'), secretText('new-signing-secret')];

test('the signing secret is rotated in steps that show which secret the latest webhooks used', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({
    ...{ delivery_url: null, skip_signature_verification: false, signing_secret_current: oldSecret },
  });
  let n = 0;
  const statusWith = async (secret: string) =>
    (
      await send(baseUrl, account, `{"id":"${++n}"}`, {
        ...{ 'content-type': 'application/json', 'x-webhook-secret': secret },
      })
    ).status;
  expect(await statusWith(oldSecret)).toBe(202);
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  await page
    .getByRole('button', { name: /^Rotate/ })
    .first()
    .click();
  await page.getByLabel('New secret', { exact: true }).fill(newSecret);
  await page.getByLabel('Old secret', { exact: true }).fill(oldSecret);
  await page.getByRole('button', { name: 'Save the new secret' }).click();
  await page.getByRole('button', { name: 'Remove the old secret' }).waitFor();
  // Both are accepted now, and the page shows which one was used.
  expect([await statusWith(oldSecret), await statusWith(newSecret)]).toEqual([202, 202]);
  const uses = page.getByRole('row').filter({ hasText: 'Current' });
  await uses.getByText('1', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove the old secret' }).click();
  await expect
    .poll(async () => (await admin.request('GET', `/admin/accounts/${account.id}`)).body.has_signing_secret_previous)
    .toBe(false);
  // A moment later every process has the account's new secrets.
  await expect.poll(() => statusWith(oldSecret), { timeout: 20_000 }).toBe(401);
  expect(await statusWith(newSecret)).toBe(202);
});
