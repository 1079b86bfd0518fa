import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway({ worker: false });

test('the kinds of messages of a destination are ticked, shown in its row, and changed', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const stored = async () => (await admin.request('GET', `/admin/accounts/${account.id}/destinations`)).body;
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  await page.getByRole('button', { name: 'Add destination' }).click();
  const form = page.getByRole('form', { name: 'New destination' });
  await form.getByLabel('Name', { exact: true }).fill('On-call');
  await form.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:9/notify');
  const kinds = form.getByRole('group', { name: 'Send a message when' });
  expect(await kinds.getByLabel('all attempts of an event have failed').isChecked()).toBe(true);
  expect(await kinds.getByLabel('an incident opens').isChecked()).toBe(false);
  await kinds.getByLabel('an incident opens').check();
  await kinds.getByLabel('an incident is resolved').check();
  await form.getByRole('button', { name: 'Create destination' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'On-call' });
  await row.getByText('failed events, opened incidents, resolved incidents').waitFor();
  expect(await stored()).toMatchObject([{ kinds: ['delivery.failed', 'incident.opened', 'incident.resolved'] }]);

  await row.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('form', { name: 'Edit On-call' });
  await edit.getByLabel('all attempts of an event have failed').uncheck();
  await edit.getByLabel('an incident is resolved').uncheck();
  const condition = edit.getByRole('textbox', { name: 'Condition' });
  await condition.click();
  await page.keyboard.type('consumer == "billing"');
  await edit.getByText('Incidents must meet the condition, too.').waitFor();
  await page.keyboard.press('Escape');
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await row.getByText('for opened incidents', { exact: true }).waitFor();
  expect(await stored()).toMatchObject([{ kinds: ['incident.opened'], condition: 'consumer == "billing"' }]);
});

test('a colleague who changes a destination at the same time keeps that change', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const path = `/admin/accounts/${account.id}/destinations`;
  const { body: made } = await admin.post(path, {
    ...{ destination_type: 'email', name: 'On-call', config: { addresses: ['first@example.com'] } },
  });
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  await page.getByRole('listitem').filter({ hasText: 'On-call' }).getByRole('button', { name: 'Edit' }).click();
  const form = page.getByRole('form', { name: 'Edit On-call' });
  await form.getByLabel('Name').fill('Nights');
  const addresses = ['first@example.com', 'second@example.com'];
  await admin.request('PATCH', `${path}/${made.id}`, { config: { addresses } });
  // The page reads the destinations again when its tab is looked at.
  const again = page.waitForResponse((answer) => answer.url().endsWith('/destinations') && answer.ok());
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await again;
  await form.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Nights was changed.').first().waitFor();
  const [stored] = (await admin.request('GET', path)).body;
  expect(stored).toMatchObject({ name: 'Nights', config: { addresses } });
});
