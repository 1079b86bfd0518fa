import { beforeAll, expect } from 'vitest';
import { backupFolder } from '../support/backup-folder.ts';
import { holdBackups, isEngineLate, scheduled } from '../support/maintenance.ts';
import { until } from '../support/until.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { holdRoute } from './support/held-route.ts';
import { useSampleData } from './support/sample-data.ts';

const gateway = consoleGateway({ maintenance: { backupDir: backupFolder() } });
const data = useSampleData(gateway);
beforeAll(async () => {
  await scheduled(gateway, 'backup');
  await scheduled(gateway, 'audit-purge');
});

/** The paths of the orders that the pages have sent. */
const ordered: string[] = [];

const open = async (path: string) => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken, path });
  // A busy Temporal may exceed the limit of a call once. Such an order is sent again, as a user would; Temporal may run both.
  await page.route(/\/admin\/(backups|upkeep)\/.*(trigger|pause|resume)$/, async (route) => {
    const answer = await until('Temporal answers in time', async () => {
      ordered.push(new URL(route.request().url()).pathname);
      const one = await route.fetch();
      return !isEngineLate({ status: one.status(), body: await one.json() }) && one;
    });
    await route.fulfill({ response: answer });
  });
  return page;
};

test('a backup is made, its progress is shown, and the page says when it is complete', async () => {
  const page = await open('/backups');
  const held = await holdBackups(gateway.databaseUrl);
  try {
    await page.getByRole('button', { name: 'Make a backup' }).click();
    await page.getByRole('progressbar', { name: 'Backup' }).waitFor();
    await page.getByRole('button', { name: 'A backup is running' }).waitFor();
    await held.arrived();
  } finally {
    await held.release();
  }
  await page.getByText('The backup is complete.').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'completed' }).first();
  await row.getByRole('button', { name: 'Details' }).click();
  await page
    .getByText(/npm run restore -- gateway-.*\.sql\.gz\.enc/)
    .first()
    .waitFor();
});

test('a task is run, paused and resumed, and its runs are listed', async () => {
  const page = await open('/maintenance');
  const card = page.getByRole('listitem', { name: 'audit-purge' });
  await card.getByRole('button', { name: 'Run now: audit-purge' }).click();
  await page.getByText('audit-purge: completed.').waitFor();
  await card.getByRole('button', { name: 'Show runs: audit-purge' }).click();
  const runs = page.getByRole('list', { name: 'Runs of audit-purge, newest first' });
  await runs.getByText('completed').first().waitFor();
  const orders = ordered.filter((path) => path.endsWith('audit-purge/trigger')).length;
  expect(await runs.getByRole('listitem').count()).toBeLessThanOrEqual(orders);
  await card.getByRole('button', { name: 'Pause: audit-purge' }).click();
  await card.getByText('The schedule does not start it until it is resumed.').waitFor();
  await card.getByRole('button', { name: 'Resume: audit-purge' }).click();
  await card.getByRole('button', { name: 'Pause: audit-purge' }).waitFor();
});

const problem = (code: string, title: string) => ({
  ...{ status: 503, contentType: 'application/problem+json', json: { code, title, detail: 'a test' } },
});
const engineAway = problem('engine_unavailable', 'Temporal is not available');
const databaseAway = problem('database_unavailable', 'The database is not available');

test('while Temporal does not answer, maintenance and backups say so, and from when they are', async () => {
  const page = await open('/maintenance');
  const card = page.getByRole('listitem', { name: 'audit-purge' });
  await card.waitFor();
  await page.route(/\/admin\/upkeep$/, (route) => route.fulfill(engineAway));
  await page.getByText('Temporal is not available').waitFor();
  await page.getByText('What you see is from').waitFor();
  await card.waitFor();

  await page.getByRole('link', { name: 'Backups' }).click();
  const next = page.locator('dl > div').filter({ hasText: 'Next one' });
  await next.getByText('not known').waitFor();
  await page.getByText('Temporal is not available').waitFor();
  await page.unroute(/\/admin\/upkeep$/);
  await next.locator('time').waitFor();
  await page.getByText('Temporal is not available').waitFor({ state: 'detached' });
});

test('maintenance that has not been read says that it loads, and then that Temporal does not answer', async () => {
  const page = await open('/settings');
  const tasks = await holdRoute(page, /\/admin\/upkeep$/, (route) => route.fulfill(engineAway));
  await page.getByRole('link', { name: 'Maintenance' }).click();
  await tasks.asked;
  await page.getByText('Loading …').waitFor();
  tasks.release();
  await page.getByText('Temporal is not available').waitFor();
});

test('a page that is opened while the database takes no writes says so steadily', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: null, path: '/maintenance' });
  let [asked, isHeld] = [Promise.withResolvers<void>(), false];
  await page.route(/\/admin\/health$/, async (route) => {
    asked.resolve();
    if (!isHeld) await route.fulfill(databaseAway);
  });
  await page.getByLabel('Admin token').fill(adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The database is not available.').waitFor();
  // The next call is in flight from here on.
  [asked, isHeld] = [Promise.withResolvers<void>(), true];
  await asked.promise;
  await page.getByText('alive', { exact: true }).first().waitFor();
  expect(await page.getByText('The database is not available.').count()).toBe(1);
});

test('while the database takes no writes, workers without heartbeats are not said to be missing', async () => {
  const page = await open('/maintenance');
  await page.getByText('alive', { exact: true }).first().waitFor();
  await page.route(/\/admin\/processes$/, async (route) => {
    const answer = await route.fetch();
    // A busy database may exceed the limit of a call once.
    if (!answer.ok()) return await route.fulfill({ response: answer });
    const processes = (await answer.json()) as object[];
    await route.fulfill({ response: answer, json: processes.map((process) => ({ ...process, alive: false })) });
  });
  await page.getByText('No worker runs.').waitFor();
  await page.route(/\/admin\/health$/, (route) => route.fulfill(databaseAway));
  await page.getByText('The database is not available.').waitFor();
  await page.getByText('no heartbeat').first().waitFor();
  expect(await page.getByText('No worker runs.').count()).toBe(0);
  await page.unroute(/\/admin\/health$/);
  await page.getByText('No worker runs.').waitFor();
});

test('the audit log is verified, also against a noted head, and a wrong head is found out', async () => {
  const page = await open('/audit');
  await page.getByRole('button', { name: 'Verify the log' }).click();
  await page.locator('strong', { hasText: 'The log is intact.' }).waitFor();
  const head = page.getByRole('textbox', { name: 'Head that you noted (optional)' });
  await head.fill(`1:${'0'.repeat(64)}`);
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.locator('strong', { hasText: 'The log is not intact.' }).waitFor();
});

test('the audit log shows who changed what, and opens from an address', async () => {
  const { admin } = gateway;
  await admin.request('PATCH', `/admin/accounts/${data.accounts.delivered.id}`, { app_key: 'changed' });
  const page = await open('/audit?action=account.update');
  await page.getByText('Changed an account', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'stripe/shop-eu' }).waitFor();
  await page.getByText('app_key').waitFor();
});

test('wrong tokens do not fill the audit log, and are shown with all calls', async () => {
  const { admin, baseUrl } = gateway;
  await admin.request('PATCH', `/admin/accounts/${data.accounts.delivered.id}`, { app_key: 'changed-again' });
  const { status } = await fetch(`${baseUrl}/admin/accounts`, { headers: { 'x-admin-token': 'wrong' } });
  expect(status).toBe(401);
  const page = await open('/audit');
  await page.getByText('Changed an account', { exact: true }).first().waitFor();
  const refusals = page.getByText('Was refused', { exact: true });
  expect(await refusals.count()).toBe(0);
  await page.getByRole('combobox', { name: 'Calls' }).selectOption('all');
  await refusals.first().waitFor();
});

test('all deliveries are paused with a reason, every page says so, and they are resumed', async () => {
  const page = await open('/');
  await page.getByRole('button', { name: 'Pause deliveries' }).click();
  // A longer reason than the API takes ends at its limit, and does not keep an operator from pausing.
  await page.getByRole('textbox').fill(`consumer is being moved ${'and moved '.repeat(30)}`);
  await page
    .getByRole('dialog')
    .or(page.getByRole('alertdialog'))
    .getByRole('button', { name: 'Pause deliveries' })
    .click();
  await page.getByRole('link', { name: 'Providers' }).click();
  await page.getByText('consumer is being moved').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page
    .getByRole('button', { name: /^Resume/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Pause deliveries' }).waitFor();
  await page.getByText('consumer is being moved').waitFor({ state: 'detached' });
});

test('a purge of more days than the API takes shows no estimate, and the page stays', async () => {
  const page = await open('/audit');
  await page.getByRole('button', { name: 'Purge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Purge the audit log' });
  await dialog.getByText(/^About \d+ entr/).waitFor();
  await dialog.getByRole('spinbutton').fill('1000000000');
  await dialog.getByText('At least 7 days.', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
});

test('a purge whose dialog was closed goes on, and the page says why it failed', async () => {
  const page = await open('/audit');
  const answer = Promise.withResolvers<void>();
  await page.route(/\/admin\/audit-logs\?/, async (route) => {
    if (route.request().method() !== 'DELETE') return await route.continue();
    await answer.promise;
    await route.fulfill({ status: 503, json: { title: 'The database is not available', detail: 'it went away' } });
  });
  await page.getByRole('button', { name: 'Purge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Purge the audit log' });
  await dialog.getByRole('button', { name: 'Delete entries' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The purge goes on.').waitFor();
  await page.getByRole('button', { name: 'Purge' }).click();
  // A second purge is not ordered beside the first.
  await dialog.getByRole('button', { name: 'Purging …', disabled: true }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  answer.resolve();
  await page.getByText('The database is not available: it went away').waitFor();
});

test('settings are found by a part of their name, and providers by what they do', async () => {
  const page = await open('/settings');
  await page.getByRole('searchbox').fill('retention');
  await page.getByText('EVENT_RETENTION_DAYS').first().waitFor();
  await page.getByText('DELIVERY_TIMEOUT').first().waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Providers' }).click();
  await page.getByRole('searchbox').fill('ecdsa');
  await page.getByRole('heading', { name: 'SendGrid' }).waitFor();
  await page.getByRole('heading', { name: 'Stripe' }).first().waitFor({ state: 'detached' });
});
