import { expect } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { storeConfig } from '../support/store-config.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway({ worker: false });

test('the page of an account names the settings that a new account may not have', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const config = { header: 'X-Signature', event_id_header: 'X-Id' };
  const account = await admin.createAccount({ provider: 'hmac', provider_config: config });
  await storeConfig(gateway, account.id, { ...config, signed: '{id}.{body}' });
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  const warning = page.getByText('provider_config.signed must have a line break, a space');
  await warning.waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('signed', { exact: true }).fill('{id} {body}');
  await page.getByRole('button', { name: 'Save' }).click();
  await warning.waitFor({ state: 'detached' });
});

test('an account has no delivery URL only if its project and its other consumers have none either', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const without = await admin.createAccount({ account_slug: 'without-url' });
  const ofProject = await admin.createAccount({
    ...{ account_slug: 'url-of-project', project_delivery_url: 'https://project.test/hook' },
  });
  const ofConsumer = await admin.createAccount({ account_slug: 'url-of-consumer' });
  await consumersOf(gateway, ofConsumer.id).made('billing');
  const page = await openConsole({ baseUrl, token: adminToken, path: '/accounts' });
  // The list has only one of these addresses, so it says nothing of them.
  for (const { account_slug } of [without, ofProject, ofConsumer]) {
    const row = page.getByRole('row').filter({ hasText: account_slug });
    await row.getByText('enabled').waitFor();
    expect(await row.getByText('no delivery URL').count(), account_slug).toBe(0);
  }
  const badge = page.getByRole('main').locator('header').first().getByText('no delivery URL');
  await page.getByRole('link', { name: 'without-url' }).click();
  await badge.waitFor();
  for (const { account_slug } of [ofProject, ofConsumer]) {
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await page.getByRole('link', { name: account_slug }).click();
    await page.getByRole('list', { name: 'Consumers' }).getByRole('listitem', { name: 'default' }).waitFor();
    expect(await badge.count(), account_slug).toBe(0);
  }
});
