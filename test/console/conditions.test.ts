import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

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
