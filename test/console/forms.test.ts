import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway({ worker: false, allowedNetworks: [] });

test('a form shows all its mistakes at once, first those of the browser, then those of the gateway', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const page = await openConsole({
    ...{ baseUrl, token: adminToken, path: `/accounts/${account.id}`, expectedErrors: /status of 422/ },
  });
  await page.getByRole('button', { name: 'Add consumer' }).click();
  const form = page.getByRole('form', { name: 'New consumer' });
  const invalid = () =>
    form.evaluate((element) =>
      [...element.querySelectorAll('[aria-invalid="true"]')].map(
        (one) => element.querySelector(`label[for="${one.id}"]`)?.textContent,
      ),
    );
  await form.getByRole('button', { name: 'Create consumer' }).click();
  await expect.poll(invalid).toEqual(['Name', 'URL']);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('placeholder'))).toBe('billing');

  await form.getByRole('textbox', { name: 'Name' }).fill('No Name');
  await form.getByRole('textbox', { name: 'URL' }).fill('http://10.0.0.1/hook');
  await form.getByRole('button', { name: 'Create consumer' }).click();
  await form.getByText('must be 1 to 40 characters of a-z, 0-9 and -').waitFor();
  await form.getByText('10.0.0.1 is a private address; DELIVERY_ALLOWED_NETWORKS does not list it').waitFor();
  expect(await invalid()).toEqual(['Name', 'URL']);
});

test('a name that leads to a refused address is named on the page of the account', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: 'https://93.184.215.14/hook' });
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Delivery URL', exact: true }).fill('http://localhost:9/hook');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^delivery_url localhost resolves to .*, a loopback address/).waitFor();
  await page.getByText('Deliveries to it are refused until its name leads elsewhere').waitFor();
  // The consumer `default` has the address of the account.
  await page.getByRole('listitem', { name: 'default' }).getByText('http://localhost:9/hook', { exact: true }).waitFor();
});
