import type { Request } from 'playwright-core';
import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { holdRoute } from './support/held-route.ts';

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
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('placeholder'))).toBe('billing');

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

test('a read of the account that began before a change does not bring back what the change replaced', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: 'https://93.184.215.14/before' });
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  const url = page.locator('dl > div').filter({ has: page.getByText('Delivery URL', { exact: true }) });
  await url.getByText('/before').waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Delivery URL', exact: true }).fill('https://93.184.215.14/after');
  const read = Promise.withResolvers<Request>();
  const [answered, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(`**/admin/accounts/${account.id}`, async (route) => {
    if (route.request().method() !== 'GET') return await route.continue();
    const response = await route.fetch();
    read.resolve(route.request());
    await answered.promise;
    await route.fulfill({ response });
  });
  // Of the account before its change.
  const older = await read.promise;
  const end = (request: Request) => request === older && ended.resolve();
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  await page.getByRole('button', { name: 'Save' }).click();
  await url.getByText('/after').waitFor();
  answered.resolve();
  await ended.promise;
  await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
  expect(await url.getByText('/after').count()).toBe(1);
});

test('a question stays while its call is in flight, and shows why the call failed', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  await admin.post('/admin/tokens', { name: 'leaked', role: 'read' });
  const page = await openConsole({ baseUrl, token: adminToken, path: '/tokens' });
  await page.getByRole('button', { name: 'Revoke leaked' }).waitFor();
  // The outcome is shown also while the tokens cannot be read.
  await page.route('**/admin/tokens', () => undefined);
  const detail = 'the database did not answer in time';
  const call = await holdRoute(page, '**/admin/tokens/*', (route) =>
    route.fulfill({ status: 503, json: { title: 'The database is not available', detail } }),
  );
  await page.getByRole('button', { name: 'Revoke leaked' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke the token' });
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke …' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true });
  call.release();
  await dialog.getByText(detail).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});
