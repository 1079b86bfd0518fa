import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { holdRoute } from './support/held-route.ts';

const gateway = consoleGateway({ worker: false });

test('a condition is checked while it is written, completed, and tried on the latest events', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  for (const type of ['order.paid', 'order.paid', 'customer.updated'])
    await send(baseUrl, account, JSON.stringify({ id: `${type}-${Math.random()}`, type }));
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  await page.getByRole('button', { name: 'Add destination' }).click();
  const form = page.getByRole('form', { name: 'New destination' });
  await form.getByLabel('Name', { exact: true }).fill('On-call');
  await form.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:9/notify');
  const condition = form.getByRole('textbox', { name: 'Condition' });
  await condition.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('event_type == 5');
  await form
    .getByText(/expected/)
    .first()
    .waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('event_ty');
  await page.getByRole('listbox', { name: 'Completions' }).getByText('event_type').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type(' == "order.paid"');
  await form.getByText('2 of the last 3 events match').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('payload.ty');
  await page.getByRole('listbox', { name: 'Completions' }).getByText('payload.type').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type(' == "customer.updated"');
  await form.getByText('1 of the last 3 events matches').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('event_type == "order.paid"');
  await form.getByText('2 of the last 3 events match').waitFor();
  await page.keyboard.press('Escape');
  await form.getByRole('button', { name: 'Create destination' }).click();
  await page.getByRole('listitem').filter({ hasText: 'On-call' }).waitFor();
  const { body } = await admin.request('GET', `/admin/accounts/${account.id}/destinations`);
  expect(body).toMatchObject([{ name: 'On-call', condition: 'event_type == "order.paid"' }]);
});

test('what was written before the names have been read is completed as soon as they are', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  const names = await holdRoute(page, /\/admin\/conditions\/names/);
  await page.getByRole('button', { name: 'Add destination' }).click();
  const form = page.getByRole('form', { name: 'New destination' });
  const completions = page.getByRole('listbox', { name: 'Completions' });
  await form.getByRole('textbox', { name: 'Condition' }).click();
  await page.keyboard.type('event_ty');
  await form.getByText('Not valid.').waitFor();
  expect(await completions.count()).toBe(0);
  names.release();
  await completions.getByText('event_type').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type(' != ""');
  await form.getByText('This account has no events to try it on.').waitFor();
});

test('an editor that cannot be loaded leaves the rest of the form as it is', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const path = `/accounts/${account.id}`;
  const page = await openConsole({ baseUrl, token: adminToken, path, expectedErrors: /ERR_FAILED/ });
  await page.route('**/assets/condition-editor-*.js', (route) => route.abort());
  await page.getByRole('button', { name: 'Add destination' }).click();
  const form = page.getByRole('form', { name: 'New destination' });
  await form.getByLabel('Name', { exact: true }).fill('On-call');
  await form.getByText('A part of the console could not be loaded').waitFor();
  await form.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:9/notify');
  await form.getByRole('button', { name: 'Create destination' }).click();
  await page.getByRole('listitem', { name: 'On-call' }).waitFor();
});

test('an event that a condition matches opens in a new tab, which is signed in, too', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  await send(baseUrl, account, '{"id":"matches"}');
  const page = await openConsole({ baseUrl, token: null, path: `/accounts/${account.id}` });
  await page.getByLabel('Admin token').fill(adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Add destination' }).click();
  await page.getByText('Show 1 event').click();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: '(opens a new tab)' }).click();
  await (await opened).getByRole('button', { name: 'Sign out' }).waitFor();
  await page.getByRole('form', { name: 'New destination' }).waitFor();
});

test('destinations are ordered by buttons', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  for (const name of ['First', 'Second'])
    await admin.post(`/admin/accounts/${account.id}/destinations`, {
      ...{ destination_type: 'webhook', name },
      config: { url: 'http://127.0.0.1:9/notify' },
    });
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  const names = async () => {
    const { body } = await admin.request('GET', `/admin/accounts/${account.id}/destinations`);
    return body.map(({ name }: { name: string }) => name).join();
  };
  const before = await names();
  const last = before.split(',').at(-1);
  await page.getByRole('button', { name: `Move up: ${last}` }).click();
  await expect.poll(names).toBe(before.split(',').reverse().join());
});

test('an order that is taken back before it was stored is taken back in the gateway, too', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const list = `/admin/accounts/${account.id}/destinations`;
  for (const [position, name] of ['First', 'Second'].entries()) {
    const { body } = await admin.post(list, {
      ...{ destination_type: 'webhook', name, config: { url: 'http://127.0.0.1:9/notify' } },
    });
    await admin.request('PATCH', `${list}/${body.id}`, { position });
  }
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  let stored = 0;
  const changes = await holdRoute(page, `**${list}/*`, async (route) => {
    await route.fulfill({ response: await route.fetch() });
    stored += 1;
  });
  const rows = page.getByRole('listitem', { name: /^(First|Second)$/ });
  await page.getByRole('button', { name: 'Move up: Second' }).click();
  await expect.poll(() => rows.first().getAttribute('aria-label')).toBe('Second');
  await page.getByRole('button', { name: 'Move down: Second' }).click();
  await expect.poll(() => rows.first().getAttribute('aria-label')).toBe('First');
  changes.release();
  await expect.poll(() => stored).toBe(4);
  const { body } = await admin.request('GET', list);
  expect(body.map(({ name }: { name: string }) => name)).toEqual(['First', 'Second']);
});
