import { expect } from 'vitest';
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
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
  expect(await warning.count()).toBe(0);
});
