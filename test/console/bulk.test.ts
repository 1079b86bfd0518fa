import { expect } from 'vitest';
import { events } from '../events/bulk/support.ts';
import { accountForTest } from '../support/consumer.ts';
import { rows } from '../support/stored.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

test('2,000 failed events are replayed by a job with progress, after a question that names the number', async () => {
  const { admin, baseUrl, adminToken, database } = gateway;
  const { account } = await accountForTest(admin);
  await events(gateway, account, 2_000);
  // Until then, the job has all before it, however long the browser takes.
  await gateway.stopWorker();
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events?delivery_status=failed' });
  await page.getByRole('checkbox', { name: 'Select all loaded events' }).check();
  await page.getByText(/^\d+ selected$/).waitFor();
  await page.getByRole('button', { name: 'Select everything that the filters find' }).click();
  await page.getByRole('button', { name: 'Replay …' }).click();
  const question = page.getByRole('dialog', { name: 'Replay 2,000 events?' });
  await question.getByRole('button', { name: 'Replay 2,000 events' }).click();
  const jobs = page.getByRole('list', { name: 'Bulk jobs' });
  await jobs.getByRole('progressbar', { name: 'Replay ordered by tester' }).waitFor();
  await gateway.startWorker();
  // It waits for the deliveries.
  await jobs.getByText('2,000 of 2,000 done').waitFor({ timeout: 150_000 });
  // The list follows: nothing is failed any more.
  await page.getByText('No event matches these filters.').waitFor();
  const [left] = await rows(database, `select count(*)::integer as n from events where generation = 0`);
  expect(left?.n).toBe(0);
});

test('the question before a job says how many events are left out, and the job leaves them', async () => {
  const { admin, baseUrl, adminToken, database } = gateway;
  const account = await admin.createAccount({ provider: 'slack', delivery_url: null });
  const [acknowledged = '', dead = '', ...open] = await events(gateway, account, 5, { provider: 'slack' });
  await admin.post(`/admin/events/${acknowledged}/ack`);
  await admin.post(`/admin/events/${dead}/fail`, { dead: true });
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events?provider=slack' });
  for (const text of ['acknowledged', 'dead', 'exhausted'])
    await page.getByRole('cell', { name: text }).first().waitFor();
  await page.getByRole('checkbox', { name: 'Select all loaded events' }).check();
  await page.getByRole('button', { name: 'Select everything that the filters find' }).click();
  await page.getByRole('button', { name: 'Replay …' }).click();
  const question = page.getByRole('dialog', { name: 'Replay 3 events?' });
  await question.getByText('2 events that a person has acknowledged or declared dead are left out.').waitFor();
  await question.getByRole('button', { name: 'Replay 3 events' }).click();
  await page.getByRole('list', { name: 'Bulk jobs' }).getByText('3 of 3 done').waitFor();
  const replayed = await rows(database, 'select id from events where generation = 1 and account_id = $1', [account.id]);
  expect(replayed.map(({ id }) => id).toSorted()).toEqual(open.toSorted());
});

test('the filter by state finds what the rows say', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ provider: 'shopify', delivery_url: null });
  const [acknowledged = ''] = await events(gateway, account, 3, { provider: 'shopify' });
  await admin.post(`/admin/events/${acknowledged}/ack`);
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events?provider=shopify' });
  await page.getByRole('cell', { name: 'acknowledged' }).waitFor();
  expect(await page.getByRole('button', { name: /^(Delivery|Status)(:.*)?$/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'State', exact: true }).click();
  await page.getByRole('button', { name: 'acknowledged', exact: true }).click();
  await page.getByRole('button', { name: 'State: acknowledged' }).waitFor();
  await page.getByRole('cell', { name: 'exhausted' }).first().waitFor({ state: 'detached' });
  // While the filtered list loads, it has no rows.
  await page.getByRole('cell', { name: 'acknowledged' }).waitFor();
  expect(new URL(page.url()).searchParams.get('state')).toBe('acknowledged');
  expect(await page.getByRole('row').count()).toBe(2);
  await page.getByRole('link', { name: /^x-/ }).click();
  await page.getByText('acknowledged', { exact: true }).first().waitFor();
  await page.getByText('processed / failed').waitFor();
  // An address with a filter of the API shows it.
  await openConsole({ baseUrl, token: adminToken, path: '/events?provider=shopify&delivery_status=failed' }).then(
    (other) => other.getByRole('button', { name: 'Delivery: failed' }).waitFor(),
  );
});

test('a job for selected events changes only them', async () => {
  const { admin, baseUrl, adminToken, database } = gateway;
  const account = await admin.createAccount({ provider: 'github', delivery_url: null });
  const ids = await events(gateway, account, 3, { provider: 'github' });
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events?provider=github' });
  await page
    .getByRole('checkbox', { name: /^Select [^a]/ })
    .first()
    .check();
  await page.getByText('1 selected').waitFor();
  await page.getByRole('button', { name: 'Acknowledge …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge 1 event' }).click();
  await page.getByRole('list', { name: 'Bulk jobs' }).getByText('1 of 1 done').waitFor();
  const found = await rows(database, 'select status from events where id = any($1)', [ids]);
  expect(found.filter(({ status }) => status === 'processed')).toHaveLength(1);
});

test('a job that runs can be stopped', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ provider: 'gitlab', delivery_url: null });
  await events(gateway, account, 8_000, { provider: 'gitlab' });
  // As above.
  await gateway.stopWorker();
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events?provider=gitlab' });
  await page.getByRole('checkbox', { name: 'Select all loaded events' }).check();
  await page.getByRole('button', { name: 'Select everything that the filters find' }).click();
  await page.getByRole('button', { name: 'Mark dead …' }).click();
  await page.getByRole('button', { name: 'Mark dead 8,000 events' }).click();
  const job = page.getByRole('list', { name: 'Bulk jobs' }).getByRole('listitem').filter({ hasText: 'of 8,000' });
  await job.getByRole('button', { name: 'Stop' }).click();
  await job.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  await gateway.startWorker();
  await job.getByText('stopped', { exact: true }).waitFor();
});

test('who selects single events again no longer selects everything that the filters find', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ provider: 'gitlab', delivery_url: null });
  await events(gateway, account, 3, { provider: 'gitlab' });
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events?provider=gitlab' });
  const boxes = page.getByRole('checkbox', { name: /^Select [^a]/ });
  const everything = page.getByRole('button', { name: 'Select everything that the filters find' });
  await boxes.nth(0).check();
  await everything.click();
  await page.getByRole('button', { name: 'Only the selected events' }).waitFor();
  await boxes.nth(0).uncheck();
  await boxes.nth(1).check();
  await page.getByText('1 selected').waitFor();
  await everything.waitFor();
  await page.getByRole('button', { name: 'Acknowledge …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge 1 event' }).waitFor();
});

test('a list without filters offers no order for all events of all time', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  await events(gateway, await admin.createAccount({ provider: 'gitlab', delivery_url: null }), 1, {
    provider: 'gitlab',
  });
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events' });
  const everything = page.getByRole('button', { name: 'Select everything that the filters find' });
  await page
    .getByRole('checkbox', { name: /^Select [^a]/ })
    .first()
    .check();
  await page.getByText('1 selected').waitFor();
  expect(await everything.count()).toBe(0);
});

test('a job leaves a selected event that has left the list', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const [handled = '', open = ''] = await events(gateway, account, 3);
  const path = `/events?state=exhausted&account_id=${account.id}`;
  const page = await openConsole({ baseUrl, token: adminToken, path });
  await page.getByText('Live', { exact: true }).waitFor();
  for (const name of ['x-0', 'x-1']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByText('2 selected').waitFor();
  expect((await admin.post(`/admin/events/${handled}/ack`)).status).toBe(200);
  await page.getByText('1 selected').waitFor();
  await page.getByRole('button', { name: 'Mark dead …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Mark dead 1 event' }).click();
  await admin.eventually(open, ({ state }) => state === 'dead');
  expect((await admin.event(handled)).state).toBe('acknowledged');
});

test('a question that counts everything orders everything, also when the selection changes before it appears', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const ids = await events(gateway, account, 3);
  const page = await openConsole({ baseUrl, token: adminToken, path: `/events?account_id=${account.id}` });
  const counted = Promise.withResolvers<void>();
  await page.route(/\/admin\/events\/bulk$/, async (route) => {
    if (route.request().postDataJSON().dry_run) await counted.promise;
    await route.continue();
  });
  await page.getByRole('checkbox', { name: 'Select x-0' }).check();
  await page.getByRole('button', { name: 'Select everything that the filters find' }).click();
  await page.getByRole('button', { name: 'Acknowledge …' }).click();
  await page.getByRole('button', { name: 'Only the selected events' }).click();
  await page.getByText('1 selected').waitFor();
  counted.resolve();
  const question = page.getByRole('dialog', { name: 'Acknowledge 3 events?' });
  await question.getByRole('button', { name: 'Acknowledge 3 events' }).click();
  for (const id of ids) await admin.eventually(id, ({ state }) => state === 'acknowledged');
});
