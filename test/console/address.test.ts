import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway({ worker: false });

test('filters and ranges stand in the address: back and forward restore them, and a shared address shows the same', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  for (const account_slug of ['one', 'two']) {
    const account = await admin.createAccount({ account_slug, delivery_url: null });
    await send(baseUrl, account, `{"id":"from-${account_slug}"}`);
  }
  const page = await openConsole({ baseUrl, token: adminToken });
  await page.getByRole('button', { name: '24 h' }).click();
  await page.getByRole('heading', { name: 'Webhooks of the last 24 hours' }).waitFor();
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page.getByRole('link', { name: 'from-one' }).waitFor();
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('dialog', { name: 'Account' }).getByRole('button', { name: 'two' }).click();
  await page.getByRole('link', { name: 'from-one' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'from-two' }).waitFor();
  expect(new URL(page.url()).search).toBe('?account_slug=two');

  const colleague = await openConsole({ baseUrl, token: adminToken, path: `/events${new URL(page.url()).search}` });
  await colleague.getByRole('link', { name: 'from-two' }).waitFor();
  await colleague.getByRole('button', { name: 'Account: two' }).waitFor();
  expect(await colleague.getByRole('link', { name: 'from-one' }).count()).toBe(0);

  await page.goBack();
  await page.getByRole('link', { name: 'from-one' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Webhooks of the last 24 hours' }).waitFor();
  await page.goForward();
  await page.goForward();
  await page.getByRole('button', { name: 'Account: two' }).waitFor();
  await page.getByRole('button', { name: 'Remove Account' }).click();
  await page.getByRole('link', { name: 'from-one' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('an id that names no event, a wrong filter and an unknown page are explained', async () => {
  const { baseUrl, adminToken } = gateway;
  const open = (path: string) =>
    openConsole({ baseUrl, token: adminToken, path, expectedErrors: /status of (404|422|405)/ });
  for (const id of ['not-an-id', '01a1fb5c-32dd-7658-a59f-f1f2e11f4782', 'filters'])
    await (await open(`/events/${id}`)).getByText('There is no event with this id.').waitFor();
  await (await open('/events?since=yesterday')).getByRole('alert').getByText('since').first().waitFor();
});

test('an event id in the search field opens the event, another text is an external id', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const { body } = await send(baseUrl, account, '{"id":"order-4711","note":"a payload with Ümläut"}');
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events' });
  await page.getByRole('searchbox').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('order-4711');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'External id: order-4711' }).waitFor();
  await page.getByRole('searchbox').fill(body.id);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'order-4711' }).waitFor();
  await page.goBack();
  await page.getByRole('searchbox').fill('Ümläut');
  await page.getByRole('button', { name: 'Search payloads' }).click();
  await page.getByText('1 event found').waitFor();
  // The text may be somebody's name, so it is not in the address.
  expect(page.url()).not.toContain('ml');
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
});

test('an external id that is a UUID, as those of GitHub are, is found by the search field', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const externalId = '72D3162e-cc78-11e3-81ab-4c9367dc0958';
  await send(baseUrl, account, JSON.stringify({ id: externalId }));
  await send(baseUrl, account, '{"id":"another-event"}');
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events', expectedErrors: /status of 404/ });
  await page.getByRole('link', { name: 'another-event' }).waitFor();
  await page.getByRole('searchbox').fill(externalId);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('button', { name: `External id: ${externalId}` }).waitFor();
  await page.getByRole('link', { name: 'another-event' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: externalId }).waitFor();
});

test('a search of payloads that is stopped before its first answer has not searched everything, and goes on', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  await send(baseUrl, account, '{"id":"stopped-search","note":"found after all"}');
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events' });
  let searches = 0;
  await page.route('**/admin/events/search', async (route) => {
    searches += 1;
    // The first one is never answered.
    if (searches > 1) await route.continue();
  });
  await page.getByRole('searchbox').fill('found after all');
  await page.getByRole('button', { name: 'Search payloads' }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  const goOn = page.getByRole('button', { name: 'Search older events' });
  await goOn.waitFor();
  const everything = page.getByText('That is everything that the filters find.');
  expect(await everything.count()).toBe(0);
  await goOn.click();
  await page.getByText('1 event found').waitFor();
  await everything.waitFor();
  expect(await goOn.count()).toBe(0);
});

test('an address with the id of an account lists only its events, as the API and bulk jobs do', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const [one, two] = [
    await admin.createAccount({ account_slug: 'by-id', delivery_url: null }),
    await admin.createAccount({ account_slug: 'by-other-id', delivery_url: null }),
  ];
  await send(baseUrl, one, '{"id":"of-this-account"}');
  await send(baseUrl, two, '{"id":"of-another-account"}');
  const page = await openConsole({ baseUrl, token: adminToken, path: `/events?account_id=${one.id}` });
  await page.getByRole('link', { name: 'of-this-account' }).waitFor();
  await page.getByRole('button', { name: `Account id: ${one.id}` }).waitFor();
  expect(await page.getByRole('link', { name: 'of-another-account' }).count()).toBe(0);
});

test('a text that stands in the address is corrected in its middle', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  await admin.createAccount({ account_slug: 'shop-europe', delivery_url: null });
  const page = await openConsole({ baseUrl, token: adminToken, path: '/accounts' });
  const slug = page.getByRole('searchbox', { name: 'Slug' });
  await slug.waitFor();
  await slug.focus();
  await page.keyboard.type('shp-europe');
  await page.waitForURL(/q=shp-europe/);
  for (let n = 0; n < 'p-europe'.length; n++) await page.keyboard.press('ArrowLeft');
  await page.keyboard.type('o');
  await page.waitForURL(/q=shop-europe/);
  await page.getByRole('link', { name: 'shop-europe' }).waitFor();
  expect(await slug.inputValue()).toBe('shop-europe');
  expect(await slug.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe('sho'.length);
});

test('a time of the audit log is typed without a pause', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken, path: '/audit' });
  const since = page.getByLabel('Since');
  await since.waitFor();
  await since.focus();
  // The language of this field is that of the browser, not of the page: month, day, year, hour and minute.
  await page.keyboard.type('112020260430PM');
  await expect.poll(() => since.inputValue()).toBe('2026-11-20T16:30');
  await page.waitForURL(/since=2026-11-20T15%3A30%3A00\.000Z/);
});
