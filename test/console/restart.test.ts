import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { gatewayRoles, migratedRoles } from '../support/gateway-roles.ts';
import { ownPort, ownPostgres } from '../support/own-servers.ts';
import { browserEndsWithItsFile, openConsole, unanswered } from './support/browser.ts';
import { test } from './support/browser-test.ts';

gatewaysEndWithTheirTest();
browserEndsWithItsFile();

/** A starting gateway refuses calls, too. */
const outage = new RegExp(`${unanswered.source}|status of 50\\d`);

test('the gateway is restarted under an open page: the page says so, and goes on by itself', async () => {
  const roles = await migratedRoles({ PORT: String(await ownPort()) });
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
  const roles = await migratedRoles({ PORT: String(await ownPort()) });
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

test('a page that is opened while the gateway is away keeps the navigation, and opens afterwards', async () => {
  const roles = await migratedRoles({ PORT: String(await ownPort()) });
  const api = await roles.startApi();
  const token = roles.variables.ADMIN_TOKEN ?? null;
  const expectedErrors = new RegExp(`${outage.source}|could not be loaded`);
  const page = await openConsole({ baseUrl: api.baseUrl, token, path: '/events', expectedErrors });
  await page.getByText('Live', { exact: true }).waitFor();
  await api.stop();
  await page.getByText('The gateway does not answer.').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.getByText('A part of the console could not be loaded').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The gateway could not be reached').waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await roles.startApi();
  await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Maintenance' }).waitFor();
});

test('a page whose code has another name since an upgrade is opened by a reload', async () => {
  const roles = await migratedRoles({});
  const { baseUrl } = await roles.startApi();
  const token = roles.variables.ADMIN_TOKEN ?? null;
  // A reload ends the calls that are in flight.
  const expectedErrors = new RegExp(`${unanswered.source}|status of 404|could not be loaded`);
  const page = await openConsole({ baseUrl, token, path: '/events', expectedErrors });
  await page.getByText('Live', { exact: true }).waitFor();
  let isOld = true;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isOld = false;
  });
  await page.route('**/assets/maintenance-page-*.js', (route) =>
    isOld ? route.fulfill({ status: 404 }) : route.continue(),
  );
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.getByRole('heading', { level: 1, name: 'Maintenance' }).waitFor();
  expect(isOld).toBe(false);
});

test('a database that takes no writes shows on each page, and nothing is said to be well', async () => {
  const postgres = await ownPostgres();
  const roles = gatewayRoles({ databaseUrl: postgres.address });
  const [api] = await Promise.all([roles.apiHere(), roles.workerHere()]);
  /** As a provider of managed databases does when the disk is full, and after that. */
  const readOnly = async (value: 'on' | 'off') => {
    await roles.query(`alter system set default_transaction_read_only = ${value}`);
    await roles.query('select pg_reload_conf()');
  };
  const page = await openConsole({ baseUrl: api.baseUrl, token: roles.variables.ADMIN_TOKEN ?? null });
  const calm = page.getByText('Nothing fails: no consumer');
  const well = page.getByText(/are well/);
  await calm.waitFor();
  await well.waitFor();

  await readOnly('on');
  const banner = page.getByText('The database is not available.');
  await banner.waitFor();
  await page.getByText('the database takes no writes').first().waitFor();
  // Another call may fail before that of the health, which the page repeats every ten seconds.
  await well.waitFor({ state: 'detached' });
  expect([await calm.count(), await well.count()]).toEqual([0, 0]);
  await page.getByRole('link', { name: 'Providers' }).click();
  await page.getByRole('heading', { level: 1, name: 'Providers' }).waitFor();
  await banner.waitFor();

  await readOnly('off');
  await banner.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Overview' }).click();
  await well.waitFor();
  // A process that met the outage for long enough has opened an incident, which ends a minute later.
  await calm.or(page.getByRole('listitem', { name: 'the database did not answer' })).waitFor();
});
