import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { secretText } from '../support/secrets.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway({ worker: false });
const [oldSecret, newSecret] = [secretText('old-signing-secret'), secretText('new-signing-secret')];

/** An account with the old secret, and its page in the console. */
async function accountPage(expectedErrors?: RegExp) {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({
    ...{ delivery_url: null, skip_signature_verification: false, signing_secret_current: oldSecret },
  });
  const path = `/accounts/${account.id}`;
  const page = await openConsole({
    ...{ baseUrl, token: adminToken, path },
    ...(expectedErrors === undefined ? {} : { expectedErrors }),
  });
  let n = 0;
  const statusWith = async (secret: string) =>
    (
      await send(baseUrl, account, `{"id":"${++n}"}`, {
        ...{ 'content-type': 'application/json', 'x-webhook-secret': secret },
      })
    ).status;
  const change = (body: object) => admin.request('PATCH', `/admin/accounts/${account.id}`, body);
  const begin = async () => {
    const rotate = page.getByRole('button', { name: /^Rotate/ }).first();
    await rotate.click();
  };
  /** The row of the table that counts webhooks. */
  const countOf = (name: string) => page.getByRole('row').filter({ hasText: name }).getByRole('cell').first();
  return { account, page, statusWith, change, begin, countOf };
}

test('the signing secret is rotated without the old one, and the steps show what webhooks use', async () => {
  const { admin } = gateway;
  const { account, page, statusWith, begin, countOf } = await accountPage();
  expect(await statusWith(oldSecret)).toBe(202);
  await begin();
  expect(await page.getByLabel(/old secret/i).count()).toBe(0);
  await page.getByLabel('New secret', { exact: true }).fill(newSecret);
  await page.getByRole('button', { name: 'Save the new secret' }).click();
  await page.getByRole('button', { name: 'Remove the old secret' }).waitFor();
  await expect.poll(() => countOf('Rejected').textContent()).toBe('0');
  // Both are accepted now, and the page shows which one was used, and what neither has verified.
  expect([await statusWith(oldSecret), await statusWith(newSecret)]).toEqual([202, 202]);
  expect(await statusWith(secretText('of-neither'))).toBe(401);
  await expect.poll(() => countOf('Current (new)').textContent()).toBe('1');
  await expect.poll(() => countOf('Previous (old)').textContent()).toBe('1');
  await expect.poll(() => countOf('Rejected').textContent()).toBe('1');
  const rejected = page.getByRole('status').filter({ hasText: '1 webhook rejected since the new secret was saved' });
  const address = await rejected.getByRole('link', { name: 'Show why' }).getAttribute('href');
  expect(address).toContain(`account_slug=${account.account_slug}`);
  const isKept = async () =>
    (await admin.request('GET', `/admin/accounts/${account.id}`)).body.has_signing_secret_previous;
  await page.getByRole('button', { name: 'Remove the old secret' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove the old secret?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await isKept()).toBe(true);
  await page.getByRole('button', { name: 'Remove the old secret' }).click();
  await dialog.getByRole('button', { name: 'Remove the old secret' }).click();
  await expect
    .poll(async () => (await admin.request('GET', `/admin/accounts/${account.id}`)).body.has_signing_secret_previous)
    .toBe(false);
  // A moment later every process has the account's new secrets.
  await expect.poll(() => statusWith(oldSecret)).toBe(401);
  expect(await statusWith(newSecret)).toBe(202);
});

test('a new secret that was pasted wrong is replaced, and the old one stays', async () => {
  const { page, statusWith, begin } = await accountPage(/status of 422/);
  await begin();
  // The one that the account has already, by mistake.
  await page.getByLabel('New secret', { exact: true }).fill(oldSecret);
  await page.getByRole('button', { name: 'Save the new secret' }).click();
  await page.getByText('is the current secret already').waitFor();
  await page.getByLabel('New secret', { exact: true }).fill(secretText('pasted-wrong'));
  await page.getByRole('button', { name: 'Save the new secret' }).click();
  await page.getByText('The saved secret is wrong').click();
  await page.getByLabel('New secret', { exact: true }).fill(newSecret);
  await page.getByRole('button', { name: 'Replace the new secret' }).click();
  await page.getByText('The new secret was replaced.').waitFor();
  expect([await statusWith(oldSecret), await statusWith(newSecret)]).toEqual([202, 202]);
  await expect.poll(() => statusWith(secretText('pasted-wrong'))).toBe(401);
});

test('a rotation that a colleague has begun is not dropped, and the page says so', async () => {
  const { page, statusWith, change, begin } = await accountPage(/status of 409/);
  await begin();
  await page.getByLabel('New secret', { exact: true }).fill(secretText('of-another'));
  expect((await change({ signing_secret_current: newSecret, rotate: true })).status).toBe(200);
  await page.getByRole('button', { name: 'Save the new secret' }).click();
  await page.getByText('is still set').waitFor();
  // The account is read again, so that the page shows the steps of that rotation.
  await page.getByRole('button', { name: 'Remove the old secret' }).waitFor();
  expect([await statusWith(oldSecret), await statusWith(newSecret)]).toEqual([202, 202]);
});

test('the old secret of one rotation is removed, and never that of the next one, which began meanwhile', async () => {
  const { page, statusWith, change } = await accountPage(/status of 409/);
  expect((await change({ signing_secret_current: newSecret, rotate: true })).status).toBe(200);
  await page.getByRole('button', { name: 'Continue the rotation' }).click();
  await page.getByRole('button', { name: 'Remove the old secret' }).click();
  const next = { signing_secret_current: secretText('of-the-next-rotation'), rotate: true, replace_previous: true };
  expect((await change(next)).status).toBe(200);
  const dialog = page.getByRole('dialog', { name: 'Remove the old secret?' });
  await dialog.getByRole('button', { name: 'Remove the old secret' }).click();
  await dialog.getByText('was changed since you read it').waitFor();
  expect(await statusWith(newSecret)).toBe(202);
  // Once the user has looked again, the rotation can be finished.
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove the old secret' }).click();
  await dialog.waitFor();
  expect(await dialog.getByRole('alert').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Remove the old secret' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => statusWith(newSecret)).toBe(401);
});

/** The gateway makes the first change of the account without an answer, and answers no read until the function is called. */
async function loseFirstSave(page: Page, { id }: { id: string }) {
  let [isFirst, isAway] = [true, true];
  await page.route(`**/admin/accounts/${id}`, async (route) => {
    const isSave = route.request().method() === 'PATCH';
    if (isSave ? !isFirst : !isAway) return await route.continue();
    if (isSave) {
      isFirst = false;
      await route.fetch();
    }
    await route.abort();
  });
  return () => {
    isAway = false;
  };
}

test('a generated secret is still shown after the answer of its save was lost', async () => {
  const { account, page, statusWith, begin } = await accountPage(/ERR_FAILED|status of 4(09|22)/);
  await begin();
  await page.getByRole('button', { name: 'Generate' }).click();
  const generated = await page.getByLabel('New secret', { exact: true }).inputValue();
  const endOutage = await loseFirstSave(page, account);
  const save = page.getByRole('button', { name: 'Save the new secret' });
  await save.click();
  // Those of the reads say so, too.
  await page.getByText('The gateway could not be reached').first().waitFor();
  // The user does not know that it was saved.
  await save.click();
  await page.getByText('is the current secret already').waitFor();
  endOutage();
  await page.getByText('The new secret. It is not shown again.').waitFor();
  await page.locator('code', { hasText: generated }).waitFor();
  expect(await statusWith(generated)).toBe(202);
});

test('a secret whose answer was lost is shown also after another one was sent', async () => {
  const { account, page, statusWith, begin } = await accountPage(/ERR_FAILED|status of 409/);
  await begin();
  const field = page.getByLabel('New secret', { exact: true });
  const save = page.getByRole('button', { name: 'Save the new secret' });
  const generate = page.getByRole('button', { name: 'Generate' });
  await generate.click();
  const stored = await field.inputValue();
  const endOutage = await loseFirstSave(page, account);
  await save.click();
  await page.getByText('The gateway could not be reached').first().waitFor();
  await generate.click();
  expect(await field.inputValue()).not.toBe(stored);
  await save.click();
  await page.getByText('is still set').waitFor();
  endOutage();
  await page.getByText('The new secret. It is not shown again.').waitFor();
  await page.locator('code', { hasText: stored }).waitFor();
  expect(await statusWith(stored)).toBe(202);
});
