import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { holdRoute } from './support/held-route.ts';

const gateway = consoleGateway({ worker: false });

const pages = [
  ...[
    'Incidents',
    'Events',
    'Rejected',
    'Accounts',
    'Audit log',
    'Backups',
    'Maintenance',
    'Providers',
    'Tokens',
    'Settings',
    'Overview',
  ],
];

test('the way through all pages by the keyboard: the focus is on the heading of each page that opens', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken });
  // Shown once the role of the token is known.
  await page.getByRole('link', { name: 'Tokens' }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  // The first page moves the focus there once it is loaded.
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
  for (const name of pages) {
    // From the top of the page, as a keyboard user goes.
    await page.getByRole('link', { name: 'Skip to the content' }).focus();
    let last = '';
    for (let presses = 0; presses < 20 && last !== name; presses++) {
      await page.keyboard.press('Tab');
      last = await focused();
    }
    expect(last).toBe(name);
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { level: 1, name: new RegExp(`^${name}`) });
    await heading.waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    expect(await page.title()).toMatch(new RegExp(`^${name}.* · Webhook gateway$`));
  }
});

test('g and a letter open pages, ? shows the shortcuts, and Escape closes them', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken });
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const [key, name] of [
    ['i', 'Incidents'],
    ['e', 'Events'],
    ['r', 'Rejected'],
    ['a', 'Accounts'],
    ['l', 'Audit log'],
    ['b', 'Backups'],
    ['m', 'Maintenance'],
    ['o', 'Overview'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: new RegExp(`^${name}`) }).waitFor();
  }
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard' });
  await dialog.getByText('Replay the event').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('/ goes to the search of each page, and opens that of the events from a page without one', async () => {
  const { baseUrl, adminToken } = gateway;
  const account = await gateway.admin.createAccount({});
  const { body: event } = await gateway.send(account, '{}');
  const named = () => page.evaluate(() => [document.activeElement?.tagName, location.pathname]);
  const page = await openConsole({ baseUrl, token: adminToken });
  for (const path of ['', '/events', `/events/${event.id}`, '/rejected', '/accounts', `/accounts/${account.id}`]) {
    const hasSearch = ['/events', '/accounts'].includes(path);
    await page.goto(`${baseUrl}/dashboard${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (hasSearch) await page.getByRole('searchbox').first().waitFor();
    await page.keyboard.press('/');
    await expect.poll(named).toEqual(['INPUT', hasSearch ? `/dashboard${path}` : '/dashboard/events']);
  }
  for (const path of ['/audit', '/providers', '/settings']) {
    await page.goto(`${baseUrl}/dashboard${path}`);
    await page.locator('input').first().waitFor();
    await page.keyboard.press('/');
    await expect.poll(named).toEqual(['INPUT', `/dashboard${path}`]);
    // What follows is text.
    await page.keyboard.type('x/');
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('x/');
  }
});

test('a button that goes away with what it did passes the focus on to the heading', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({});
  const page = await openConsole({ baseUrl, token: adminToken });
  for (const [path, name, resume] of [
    ['', 'Pause deliveries', '/admin/delivery/resume'],
    [`/accounts/${account.id}`, 'Pause all', `/admin/accounts/${account.id}/resume`],
  ] as const) {
    await page.goto(`${baseUrl}/dashboard${path}`);
    await page.getByRole('button', { name }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name }).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await admin.post(resume);
  }
});

test('a button that goes away while its question is open passes the focus on to the heading', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken });
  const answered = Promise.withResolvers<void>();
  await page.route('**/admin/delivery/pause', async (route) => {
    const response = await route.fetch();
    await answered.promise;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Pause deliveries' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').focus();
  await page.keyboard.press('Enter');
  // The statistics show the pause before its call is answered.
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  await Promise.all([page.waitForResponse('**/admin/delivery/pause'), answered.resolve()]);
  await admin.post('/admin/delivery/resume');
});

test('a form is sent once, and its button keeps the focus while the call is in flight', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const field = page.getByRole('textbox', { name: 'Delivery URL', exact: true });
  await field.fill('https://93.184.215.14/hook');
  const saves: string[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && saves.push(request.url()));
  const calls = await holdRoute(page, `**/admin/accounts/${account.id}`);
  await page.getByRole('button', { name: 'Save', exact: true }).focus();
  await page.keyboard.press('Enter');
  const saving = page.getByRole('button', { name: 'Saving …', disabled: true });
  await saving.waitFor();
  expect(await saving.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await field.focus();
  await page.keyboard.press('Enter');
  calls.release();
  await field.waitFor({ state: 'detached' });
  expect(saves).toHaveLength(1);
});
