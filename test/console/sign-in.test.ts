import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway, tokens } from './support/console-gateway.ts';

const gateway = consoleGateway({ worker: false });
const refused = /401/;

test('a wrong token is refused with a reason, the right one opens the page that was asked for', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: null, path: '/events?provider=stripe', expectedErrors: refused });
  const field = page.getByLabel('Admin token');
  await field.waitFor();
  await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
  for (const wrong of ['wrong-token', 'tökén', `${adminToken}x`]) {
    await field.fill(wrong);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('A valid admin token is required').waitFor();
  }
  // A pasted token may have spaces around it.
  await field.fill(`  ${adminToken} `);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  expect(new URL(page.url()).search).toBe('?provider=stripe');
});

test('the token is in the storage of the tab only, and gone after signing out', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: null });
  await page.getByLabel('Admin token').fill(adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const kept = await page.evaluate(() => ({
    session: JSON.stringify(sessionStorage),
    elsewhere: `${JSON.stringify(localStorage)} ${document.cookie} ${location.href} ${document.documentElement.outerHTML}`,
  }));
  expect(kept.session).toContain(adminToken);
  expect(kept.elsewhere).not.toContain(adminToken);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Admin token').waitFor();
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(adminToken);
});

test('a token that is revoked while it is used leads to the sign-in, which says why', async () => {
  const { admin, baseUrl } = gateway;
  const { body } = await admin.post('/admin/tokens', { name: 'to-be-revoked', role: 'read' });
  const page = await openConsole({ baseUrl, token: body.token, expectedErrors: refused });
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await admin.request('DELETE', `/admin/tokens/${body.id}`);
  await page.getByRole('alert').getByText('it has ended, or was revoked').waitFor();
  // Who signs out needs no reason.
  await page.getByLabel('Admin token').fill(tokens.reader);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Admin token').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('the shell shows whose token it is', async () => {
  const { baseUrl } = gateway;
  const page = await openConsole({ baseUrl, token: tokens.reader });
  await page.getByTitle('The token rita has the role read').waitFor();
});
