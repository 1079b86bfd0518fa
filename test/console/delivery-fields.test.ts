import { expect } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { secretText } from '../support/secrets.ts';
import { rows } from '../support/stored.ts';
import { newAuthority } from '../support/tls/certificates.ts';
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
  await form.getByLabel('Headers').fill('x-team: billing\nx-team: sales');
  await form.getByLabel('Final statuses').fill('410');
  await save();
  const row = page.getByRole('listitem', { name: 'billing' });
  await row
    .getByText('authentication: bearer · headers: x-team · timeout 30s · delivered with 2xx, !202 · final: 410')
    .waitFor();
  // The row may be read again before the answer to the change has come.
  await form.waitFor({ state: 'detached' });
  const stored = {
    ...{ headers: { 'x-team': 'billing, sales' }, authentication: { type: 'bearer' }, timeout: '30s' },
    ...{ success: ['2xx', '!202'], final: ['410'] },
  };
  expect((await consumers.get('billing')).body).toMatchObject(stored);
  const sealed = () => rows(gateway.database, "select sealed_options from consumers where name = 'billing'");
  const before = await sealed();
  await edit.click();
  await form.getByLabel('Timeout').fill('');
  await save();
  await form.waitFor({ state: 'detached' });
  await row.getByText('headers: x-team · delivered with').waitFor();
  expect(await sealed()).toEqual(before);
  expect((await consumers.get('billing')).body).toMatchObject({ ...stored, timeout: null });
});

test('access tokens and client certificates are set, and the certificate shows its end', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({});
  const consumers = consumersOf(gateway, account.id);
  await consumers.made('billing');
  const authority = await newAuthority();
  const { cert, key } = await authority.issue({ commonName: 'gateway.test' });
  const path = `/accounts/${account.id}`;
  const page = await openConsole({ baseUrl, token: adminToken, path, expectedErrors: /status of 422/ });
  const form = page.getByRole('form', { name: 'Edit billing' });
  const row = page.getByRole('listitem', { name: 'billing' });
  const save = () => form.getByRole('button', { name: 'Save changes' }).click();
  // The row may be read again before the form closes.
  const isSaved = () => form.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Edit billing' }).click();
  await form.getByText('How it is reached').click();
  await form.getByLabel('Authentication').selectOption('Access token (OAuth 2 client credentials)');
  await form.getByLabel('Token URL').fill('https://login.test/token');
  await form.getByLabel('Client id').fill('webhooks');
  await form.getByLabel('Scope').fill('hooks:write');
  // The browser asks for the secret.
  await save();
  expect(await form.getByLabel('Client secret', { exact: true }).evaluate((input) => input.matches(':invalid'))).toBe(
    true,
  );
  await form.getByLabel('Client secret', { exact: true }).fill(secretText('client'));
  await form.getByLabel('Id and secret are sent').selectOption('in the body');
  await save();
  await isSaved();
  await row.getByText('authentication: oauth2').waitFor();
  const login = { type: 'oauth2', token_url: 'https://login.test/token', client_id: 'webhooks', client_auth: 'body' };
  expect((await consumers.get('billing')).body.authentication).toEqual({ ...login, scope: 'hooks:write' });
  await page.getByRole('button', { name: 'Edit billing' }).click();
  await form.getByLabel('Authentication').selectOption('Client certificate (mTLS)');
  await form.getByLabel('Certificate', { exact: true }).fill(cert);
  await form.getByLabel('Private key').fill(key);
  await form.getByLabel('Trusted authorities').fill(authority.cert);
  await save();
  await isSaved();
  await row.getByText('authentication: mtls · certificate until').waitFor();
  await row.getByText('private authority').waitFor();
  expect((await consumers.get('billing')).body).toMatchObject({ ca: authority.cert, authentication: { type: 'mtls' } });
  // What is not changed stays, with its key.
  await page.getByRole('button', { name: 'Edit billing' }).click();
  // What is set comes first.
  const topOf = async (label: string) => (await form.getByLabel(label, { exact: true }).boundingBox())?.y ?? 0;
  expect(await topOf('Trusted authorities')).toBeLessThan(await topOf('Headers'));
  await form.getByLabel('Timeout').fill('20s');
  await save();
  await isSaved();
  await row.getByText('timeout 20s').waitFor();
  expect((await consumers.get('billing')).body.authentication.certificate).toBe(cert);
});

test('a test delivery names the step that failed', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  // The system gives this port to no program that asks for a free one.
  const account = await admin.createAccount({ delivery_url: 'http://127.0.0.1:9/hook' });
  const path = `/accounts/${account.id}`;
  const page = await openConsole({ baseUrl, token: adminToken, path, expectedErrors: /status of 502/ });
  await page.getByRole('button', { name: 'Send test delivery' }).first().click();
  await page.getByText('No connection.').waitFor();
});
