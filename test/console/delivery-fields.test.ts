import { expect } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { secretText } from '../support/secrets.ts';
import { rows } from '../support/stored.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

test('how a consumer is reached is edited, and its secret stays until another one is entered', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({});
  const consumers = consumersOf(gateway, account.id);
  await consumers.made('billing');
  const path = `/accounts/${account.id}`;
  const page = await openConsole({ baseUrl, token: adminToken, path, expectedErrors: /status of 422/ });
  const edit = page.getByRole('button', { name: 'Edit billing' });
  const form = page.getByRole('form', { name: 'Edit billing' });
  const save = () => form.getByRole('button', { name: 'Save changes' }).click();
  await edit.click();
  await form.getByText('How it is reached').click();
  await form.getByLabel('Headers').fill('x-team: billing\nwebhook-id: 5');
  await form.getByLabel('Statuses that deliver').fill('2xx, !202');
  await form.getByLabel('Final statuses').fill('410 9xx');
  await form.getByLabel('Timeout').fill('30s');
  await form.getByLabel('Authentication').selectOption('Bearer token');
  await form.getByLabel('Token', { exact: true }).fill(secretText('token'));
  await save();
  await form.getByText('webhook-id: is set by the gateway').waitFor();
  await form.getByText('entry 2: must be a status such as 410').waitFor();
  await form.getByLabel('Headers').fill('x-team: billing');
  await form.getByLabel('Final statuses').fill('410');
  await save();
  const row = page.getByRole('listitem', { name: 'billing' });
  await row
    .getByText('authentication: bearer · headers: x-team · timeout 30s · delivered with 2xx, !202 · final: 410')
    .waitFor();
  const stored = {
    ...{ headers: { 'x-team': 'billing' }, authentication: { type: 'bearer' }, timeout: '30s' },
    ...{ success: ['2xx', '!202'], final: ['410'] },
  };
  expect((await consumers.get('billing')).body).toMatchObject(stored);
  const sealed = () => rows(gateway.database, "select authentication from consumers where name = 'billing'");
  const before = await sealed();
  await edit.click();
  await form.getByLabel('Timeout').fill('');
  await save();
  await row.getByText('headers: x-team · delivered with').waitFor();
  expect(await sealed()).toEqual(before);
  expect((await consumers.get('billing')).body).toMatchObject({ ...stored, timeout: null });
});
