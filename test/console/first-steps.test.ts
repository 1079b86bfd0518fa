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
