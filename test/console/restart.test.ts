import getPort from 'get-port';
import { send } from '../support/admin-client.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { browserEndsWithItsFile, openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';

gatewaysEndWithTheirTest();
browserEndsWithItsFile();

/** What a browser says about calls that nobody answers, or that a starting gateway refuses. */
const outage = /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY_RESPONSE|ERR_NETWORK|status of 50\d/;

test('the gateway is restarted under an open page: the page says so, and goes on by itself', async () => {
  const roles = await migratedRoles({ PORT: String(await getPort()) });
  const api = await roles.startApi();
  const account = await api.admin.createAccount({ delivery_url: null });
  await send(api.baseUrl, account, '{"id":"before"}');
  const token = roles.variables.ADMIN_TOKEN ?? null;
  const page = await openConsole({ baseUrl: api.baseUrl, token, path: '/events', expectedErrors: outage });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'before' }).waitFor();
  await api.stop();
  await page.getByText('The gateway does not answer.').waitFor();
  // What was shown is still there.
  await page.getByRole('link', { name: 'before' }).waitFor();
  const again = await roles.startApi();
  await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' });
  await page.getByText('Live', { exact: true }).waitFor();
  await send(again.baseUrl, account, '{"id":"after"}');
  await page.getByRole('link', { name: 'after' }).waitFor();
});
