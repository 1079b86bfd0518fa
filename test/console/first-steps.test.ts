import { expect } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { forTest } from '../support/use.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

test('from nothing to a first delivered event: account, sample webhook, delivery', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken });
  await page.getByRole('link', { name: 'Create the first account' }).click();
  await page.getByLabel('To this gateway, as a trial').check();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Waiting for the first webhook' }).waitFor();
  await page.getByRole('button', { name: 'Send a sample webhook' }).click();
  await page.getByText('Verified, stored, and accepted by').waitFor();
});

test('a gateway that may not deliver to itself offers no trial, and its first account is created without a change', async () => {
  const { baseUrl, adminToken } = await forTest(startGateway({ worker: false, allowedNetworks: [] }));
  const page = await openConsole({ baseUrl, token: adminToken });
  await page.getByRole('link', { name: 'Create the first account' }).click();
  await page.getByLabel('Nowhere yet').and(page.locator(':checked')).waitFor();
  expect(await page.getByLabel('To this gateway, as a trial').count()).toBe(0);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Waiting for the first webhook' }).waitFor();
});
