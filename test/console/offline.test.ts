import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();
/** What a browser says about calls that it cannot make, or that a proxy refuses. */
const notMade = /ERR_INTERNET_DISCONNECTED|ERR_NETWORK|status of 429/;

test('a browser that is offline says that what it shows is old, and makes no change later that was given up', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: 'http://127.0.0.1:9/' });
  const { body } = await admin.post(`/admin/accounts/${account.id}/consumers`, {
    name: 'billing',
    url: 'http://127.0.0.1:9/',
  });
  expect(body.name).toBe('billing');
  const page = await openConsole({
    ...{ baseUrl, token: adminToken, path: `/accounts/${account.id}`, expectedErrors: notMade },
  });
  await page.getByRole('button', { name: 'Delete billing' }).waitFor();
  await page.context().setOffline(true);
  await page.getByText('The gateway does not answer.').waitFor();
  await page.getByRole('button', { name: 'Delete billing' }).click();
  const question = page.getByRole('dialog', { name: 'Delete the consumer billing?' });
  await question.getByRole('button', { name: 'Delete' }).click();
  await question.getByText('The gateway could not be reached').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.context().setOffline(false);
  await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' });
  // A change that waited for the network would be made before the next one.
  await page.getByRole('button', { name: 'Pause billing' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause deliveries' }).click();
  await page.getByRole('button', { name: 'Resume billing' }).waitFor();
  expect((await admin.request('GET', `/admin/accounts/${account.id}/consumers/billing`)).status).toBe(200);
});

test('a proxy that refuses too many calls signs no one out', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken, path: '/accounts', expectedErrors: notMade });
  await page.getByRole('heading', { name: 'Accounts', exact: true }).waitFor();
  const calls = /\/admin\//;
  let refused = 0;
  await page.route(calls, (route) => {
    refused += 1;
    return route.fulfill({ status: 429, body: 'Too Many Requests' });
  });
  await page.getByRole('link', { name: 'Overview' }).first().click();
  await page.getByText('The gateway does not answer.').waitFor();
  expect(refused).toBeGreaterThan(0);
  await page.unroute(calls);
  await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
});
