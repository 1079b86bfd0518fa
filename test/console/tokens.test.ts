import { expect } from 'vitest';
import { excessWidth, findings } from './support/axe.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway, tokens } from './support/console-gateway.ts';
import { useSampleData } from './support/sample-data.ts';

const gateway = consoleGateway();
const data = useSampleData(gateway);

test('a token is created by the keyboard, shown once, and revoked after a question', async () => {
  const { baseUrl, adminToken, admin } = gateway;
  const page = await openConsole({
    ...{ baseUrl, token: adminToken, path: '/tokens', viewport: { width: 375, height: 800 } },
  });
  await page.getByText('No tokens yet').waitFor();
  await page.getByRole('button', { name: 'New token' }).focus();
  await page.keyboard.press('Enter');
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
  await page.keyboard.type('shop-developer');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('my-app');
  expect([await findings(page), await excessWidth(page)]).toEqual([[], 0]);
  await page.keyboard.press('Enter');
  const created = page.getByRole('region', { name: 'The token shop-developer' });
  const token = (await created.locator('code').textContent()) ?? '';
  expect(token).toMatch(/^wg_[\w-]{43}$/);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Copy');
  const row = page.getByRole('row').filter({ hasText: 'shop-developer' });
  await row.getByText('my-app').filter({ visible: true }).waitFor();
  const table = page.getByRole('region', { name: 'Tokens', exact: true });
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  expect([await findings(page), await excessWidth(page)]).toEqual([[], 0]);
  await page.reload();
  await row.waitFor();
  expect(await page.getByText(token).count()).toBe(0);
  await row.getByRole('button', { name: 'Revoke shop-developer' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Revoke the token' });
  await dialog.getByText('is refused within a second').waitFor();
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No tokens yet').waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'New token');
  expect((await admin.request('GET', '/admin/tokens')).body).toEqual([]);
});

test('a name that is taken is said at its field', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken, path: '/tokens', expectedErrors: /status of 409/ });
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('olga');
  await page.getByRole('combobox', { name: 'Sees' }).selectOption('all');
  await page.getByRole('combobox', { name: 'Role' }).selectOption('admin');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('is taken').waitFor();
});

test('a token with a scope signs in, and no page calls what it may not', async () => {
  const { baseUrl, admin } = gateway;
  const { accounts, events } = data;
  const made = await admin.post('/admin/tokens', {
    ...{ name: 'scoped', role: 'operate', account_id: accounts.failed.id },
  });
  const page = await openConsole({ baseUrl, token: null });
  const refused: string[] = [];
  page.on('response', (response) => response.status() === 403 && refused.push(response.url()));
  await page.getByLabel('Admin token').fill(made.body.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('only one account').waitFor();
  const places = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
  expect(places).toEqual(['Overview', 'Incidents', 'Events', 'Rejected', 'Accounts', 'Providers']);
  for (const name of places) {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(`^${name}`) }).waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    expect([name, await page.getByRole('alert').count()]).toEqual([name, 0]);
  }
  for (const path of [`/accounts/${accounts.failed.id}`, `/events/${events.failed}`]) {
    await page.goto(`${baseUrl}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    expect([path, await page.getByRole('alert').count()]).toEqual([path, 0]);
  }
  expect(refused).toEqual([]);
});

test('a token that may only read sees no page of tokens in the navigation', async () => {
  const page = await openConsole({ baseUrl: gateway.baseUrl, token: tokens.reader });
  // Until the role is known, the link is absent for every token.
  await page.getByTitle('The token rita has the role read').waitFor();
  expect(await page.getByRole('link', { name: 'Tokens' }).count()).toBe(0);
});

/** Opens the console with a token whose role cannot be read until the page has said that the gateway does not answer. */
async function openInOutage(token: string) {
  // Until its scope is known, the token counts as one that sees all: a 403.
  const page = await openConsole({ baseUrl: gateway.baseUrl, token: null, expectedErrors: /status of (503|403)/ });
  let isAway = true;
  await page.route('**/admin/me', (route) => (isAway ? route.fulfill({ status: 503, json: {} }) : route.continue()));
  await page.evaluate((token) => sessionStorage.setItem('webhook-gateway-admin-token', token), token);
  const end = async () => {
    await page.reload();
    await page.getByText('The gateway does not answer.').waitFor();
    isAway = false;
  };
  return { page, end };
}

test('after an outage in which the role could not be read, it is read again', async () => {
  const { page, end } = await openInOutage(gateway.adminToken);
  await end();
  await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Pause deliveries' }).waitFor();
});

test('the notice of an outage ends also for a token with a scope', async () => {
  const scoped = { name: 'in-outage', role: 'operate', account_id: data.accounts.failed.id };
  const { body } = await gateway.admin.post('/admin/tokens', scoped);
  const { page, end } = await openInOutage(body.token);
  const asked = Promise.all(
    ['delivery/stats', 'health'].map(async (path) => {
      const one = Promise.withResolvers<void>();
      // What sees the whole gateway is asked in the outage only: afterwards it would be answered 403.
      await page.route(`**/admin/${path}*`, async (route) => {
        await route.fulfill({ status: 503, json: {} });
        one.resolve();
      });
      return one.promise;
    }),
  );
  await end();
  await asked;
  await page.getByText('only one account').waitFor();
  await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
});
