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

test('what has changed while the gateway was away is not shown as it was before', async () => {
  const roles = await migratedRoles({ PORT: String(await getPort()) });
  const api = await roles.startApi();
  const account = await api.admin.createAccount({ delivery_url: null });
  await api.admin.post('/admin/delivery/pause', { reason: 'a test' });
  const token = roles.variables.ADMIN_TOKEN ?? null;
  const page = await openConsole({
    baseUrl: api.baseUrl,
    token,
    path: '/events?state=waiting',
    expectedErrors: outage,
  });
  await page.getByText('Live', { exact: true }).waitFor();
  await send(api.baseUrl, account, '{"id":"came-live"}');
  await page.getByRole('link', { name: 'came-live' }).waitFor();
  await api.stop();
  await page.getByText('The gateway does not answer.').waitFor();
  await roles.query(`update events set status = 'enqueued', delivery_status = 'delivered', delivered_at = now()`);
  await roles.query('delete from event_queue');
  await roles.startApi();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('No event matches these filters.').waitFor();
});
