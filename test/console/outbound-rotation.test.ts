import { expect } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { secretText } from '../support/secrets.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

async function accountPage(fields: Record<string, unknown>, expectedErrors?: RegExp) {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount(fields);
  const page = await openConsole({
    ...{ baseUrl, token: adminToken, path: `/accounts/${account.id}` },
    ...(expectedErrors && { expectedErrors }),
  });
  return { page, account, consumers: consumersOf(gateway, account.id) };
}

const isInADay = (iso: string) => Math.abs(Date.parse(iso) - Date.now() - 24 * 3_600_000) < 60_000;

test('a delivery secret is rotated with two signatures, and the old one is ended', async () => {
  const { page, account } = await accountPage({
    delivery_url: 'https://a.test/hook',
    delivery_secret: secretText('old'),
  });
  const stored = async () => (await gateway.admin.request('GET', `/admin/accounts/${account.id}`)).body;
  const row = page.getByRole('region', { name: 'Delivery secret', exact: true });
  await row.getByRole('button', { name: 'Rotate: Delivery secret' }).click();
  await row.getByLabel('New delivery secret', { exact: true }).fill(secretText('new'));
  await row.getByRole('button', { name: 'Save the new secret' }).click();
  await row.getByText('End it when all of your service has the new one.').waitFor();
  expect(isInADay((await stored()).delivery_secret_previous_expires_at)).toBe(true);
  await row.getByText('The one before signs, too, until').waitFor();
  await row.getByRole('button', { name: 'Leave it until then' }).click();
  // A second rotation says what it drops.
  await row.getByRole('button', { name: 'Rotate: Delivery secret' }).click();
  await row.getByText('It is dropped with this one.').waitFor();
  await row.getByLabel('New delivery secret', { exact: true }).fill(secretText('newest'));
  await row.getByRole('button', { name: 'Save the new secret' }).click();
  await row.getByRole('button', { name: 'End it now' }).click();
  await row.getByText('The one before signs, too, until').waitFor({ state: 'detached' });
  expect((await stored()).delivery_secret_previous_expires_at).toBeNull();
});

test('the old delivery secret of one rotation is ended, and never that of the next one, which a colleague began', async () => {
  const { page, account } = await accountPage(
    { delivery_url: 'https://a.test/hook', delivery_secret: secretText('old') },
    /status of 409/,
  );
  const change = (body: object) => gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, body);
  const row = page.getByRole('region', { name: 'Delivery secret', exact: true });
  await row.getByRole('button', { name: 'Rotate: Delivery secret' }).click();
  await row.getByLabel('New delivery secret', { exact: true }).fill(secretText('new'));
  await row.getByRole('button', { name: 'Save the new secret' }).click();
  await row.getByText('End it when all of your service has the new one.').waitFor();
  const next = await change({
    ...{ delivery_secret: secretText('of-the-next-rotation'), rotate: true, replace_previous: true },
    delivery_secret_previous_expires_at: new Date(Date.now() + 48 * 3_600_000).toISOString(),
  });
  expect(next.status).toBe(200);
  const { delivery_secret_previous_expires_at: endsAt } = next.body;
  // The page has read the account again.
  await row.locator(`time[datetime="${endsAt}"]`).first().waitFor();
  await row.getByRole('button', { name: 'End it now' }).click();
  await row.getByText('was changed since you read it').waitFor();
  const { body } = await gateway.admin.request('GET', `/admin/accounts/${account.id}`);
  expect(body.delivery_secret_previous_expires_at).toBe(endsAt);
});

test('a rotation of a delivery secret whose answer was lost goes on, and its secret is shown', async () => {
  const old = { delivery_url: 'https://a.test/hook', delivery_secret: secretText('old') };
  const { page, account } = await accountPage(old, /ERR_FAILED/);
  const row = page.getByRole('region', { name: 'Delivery secret', exact: true });
  await row.getByRole('button', { name: 'Rotate: Delivery secret' }).click();
  await row.getByRole('button', { name: 'Generate' }).click();
  const generated = await row.getByLabel('New delivery secret', { exact: true }).inputValue();
  let isFirst = true;
  await page.route(`**/admin/accounts/${account.id}`, async (route) => {
    if (!isFirst || route.request().method() !== 'PATCH') return await route.continue();
    isFirst = false;
    await route.fetch();
    await route.abort();
  });
  await row.getByRole('button', { name: 'Save the new secret' }).click();
  await row.locator('code', { hasText: generated }).waitFor();
  // The old secret is the one that both the account and the services had before.
  await row.getByText('End it when all of your service has the new one.').waitFor();
  await row.getByRole('button', { name: 'End it now' }).click();
  await row.getByText('The one before signs, too, until').waitFor({ state: 'detached' });
  const { body } = await gateway.admin.post(`/admin/accounts/${account.id}/secrets/compare`, {
    account: { delivery_secret: generated },
  });
  expect(body.differ).toEqual([]);
});

test('the secret of a consumer is rotated, unless the user wants to replace it at once', async () => {
  const { page, consumers } = await accountPage({});
  await consumers.made('billing', { secret: secretText('old') });
  await page.reload();
  const form = page.getByRole('form', { name: 'Edit billing' });
  const row = page.getByRole('listitem', { name: 'billing' });
  const save = async (secret: string, rotates: boolean) => {
    await page.getByRole('button', { name: 'Edit billing' }).click();
    await form.getByLabel('Secret', { exact: true }).fill(secret);
    await form.getByLabel('Sign with the present secret, too, for 24 hours').setChecked(rotates);
    await form.getByRole('button', { name: 'Save changes' }).click();
    await form.waitFor({ state: 'detached' });
    return (await consumers.get('billing')).body.secret_previous_expires_at;
  };
  expect(isInADay(await save(secretText('second'), true))).toBe(true);
  await row.getByText('two signatures until').waitFor();
  expect(isInADay(await save(secretText('third'), true))).toBe(true);
  expect(await save(secretText('fourth'), false)).toBeNull();
});

test('a consumer gets a pair of keys, whose public one is shown', async () => {
  const { page, consumers } = await accountPage({ delivery_url: 'https://a.test/hook' });
  const form = page.getByRole('form', { name: 'Edit default' });
  const row = page.getByRole('listitem', { name: 'default' });
  const save = async (option: string) => {
    await page.getByRole('button', { name: 'Edit default' }).click();
    if (!(await form.getByLabel('Signature').isVisible())) await form.getByText('How it is reached').click();
    await form.getByLabel('Signature').selectOption(option);
    await form.getByRole('button', { name: 'Save changes' }).click();
    await form.waitFor({ state: 'detached' });
  };
  await save('With a pair of keys (Ed25519)');
  const { body } = await consumers.get('default');
  expect(body).toMatchObject({ signature: 'ed25519', public_key: expect.stringMatching(/^whpk_/) });
  await row.getByText(body.public_key).waitFor();
  await save('With the secret (HMAC)');
  await row.getByText(body.public_key).waitFor({ state: 'detached' });
  expect((await consumers.get('default')).body).toMatchObject({ signature: null, public_key: null });
});
