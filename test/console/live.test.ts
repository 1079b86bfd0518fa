import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { events } from '../events/bulk/support.ts';
import { send } from '../support/admin-client.ts';
import { groupsOf } from '../support/groups-of.ts';
import { until } from '../support/until.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

/** Waits for two frames: what the step before has changed is then in the document. */
const frames = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

test('new events appear by themselves; the list holds still while the user scrolls, and counts what is new', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const post = async (name: string) => expect((await send(baseUrl, account, `{"id":"${name}"}`)).status).toBe(202);
  for (let n = 0; n < 60; n++) await post(`before-${n}`);
  const page = await openConsole({ baseUrl, token: adminToken, path: `/events?account_slug=${account.account_slug}` });
  await page.getByText('Live', { exact: true }).waitFor();
  const table = page.getByRole('table', { name: 'Events' });
  await post('new-1');
  await table.getByRole('link', { name: 'new-1' }).waitFor();
  await table.hover();
  await page.mouse.wheel(0, 600);
  await page.getByText('Held', { exact: true }).waitFor();
  const links = () => table.getByRole('link').allInnerTexts();
  // The scroll is animated, and the rows change until it ends.
  const before = await until('the rows hold still', async () => {
    const now = await links();
    await page.waitForTimeout(250);
    return isDeepStrictEqual(await links(), now) && now;
  });
  await post('new-2');
  await post('new-3');
  const show = page.getByRole('button', { name: 'Show 2 new events' });
  await show.waitFor();
  expect(await links()).toEqual(before);
  await show.click();
  await table.getByRole('link', { name: 'new-3' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
});

test('a burst of webhooks keeps the list live and bounded: the newest event is shown, and few rows are in the document', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  // No attempt changes an event while the test reads the list, and none takes time afterwards.
  expect((await admin.post(`/admin/accounts/${account.id}/pause`)).status).toBe(200);
  const page = await openConsole({ baseUrl, token: adminToken, path: `/events?account_slug=${account.account_slug}` });
  await page.getByText('Live', { exact: true }).waitFor();
  const burst = Array.from({ length: 20 }, async (_, sender) => {
    for (let n = 0; n < 100; n++) await send(baseUrl, account, `{"id":"burst-${sender}-${n}"}`);
  });
  await Promise.all(burst);
  await send(baseUrl, account, '{"id":"the-last-one"}');
  const table = page.getByRole('table', { name: 'Events' });
  await table.getByRole('link', { name: 'the-last-one' }).waitFor();
  expect(await table.getByRole('row').count()).toBeLessThan(80);
  // More events than the page keeps of a live list: it says so, loads the list again, and then lacks none of them.
  await page.getByText('Live', { exact: true }).waitFor();
  const { body } = await admin.request('GET', `/admin/events?account_slug=${account.account_slug}&limit=400`);
  const names: string[] = body.map(({ external_id }: { external_id: string }) => external_id);
  const seen = new Set<string>();
  await table.hover();
  while (seen.size < names.length) {
    const before = seen.size;
    for (const name of await table.getByRole('link').allInnerTexts()) seen.add(name);
    await page.mouse.wheel(0, 300);
    await frames(page);
    if (before === seen.size) await page.waitForTimeout(100);
  }
  expect([...seen].slice(0, names.length)).toEqual(names);
});

test('a list that ends at a time shows what becomes of its events, also after a look at one of them', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const { body } = await send(baseUrl, account, '{"id":"of-the-past"}');
  await admin.eventually(body.id, ({ delivery_status }) => delivery_status === 'failed');
  const until = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
  const path = `/events?account_slug=${account.account_slug}&until=${until}`;
  const page = await openConsole({ baseUrl, token: adminToken, path });
  const row = page.getByRole('row').filter({ hasText: 'of-the-past' });
  await row.getByText('exhausted').waitFor();
  await page.getByText('Not live').waitFor();
  expect((await admin.post(`/admin/events/${body.id}/ack`)).status).toBe(200);
  await row.getByText('acknowledged').waitFor();
  await row.getByRole('link', { name: 'of-the-past' }).click();
  await page.getByRole('heading', { level: 1, name: 'of-the-past' }).waitFor();
  expect((await admin.post(`/admin/events/${body.id}/replay`)).status).toBe(202);
  await admin.eventually(body.id, ({ state }) => state === 'exhausted');
  await page.goBack();
  await row.getByText('exhausted').waitFor();
});

/** Acknowledges events, five at a time. */
async function acknowledge(...ids: string[]) {
  for (const group of groupsOf(ids, 5))
    await Promise.all(
      group.map(async (id) => expect((await gateway.admin.post(`/admin/events/${id}/ack`)).status).toBe(200)),
    );
}

test('an event that has left a live list stays away, however many others leave after it', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  // The newest first.
  const ids = await events(gateway, account, 620, {}, 1);
  const path = `/events?state=exhausted&account_id=${account.id}`;
  const page = await openConsole({ baseUrl, token: adminToken, path });
  await page.getByText('Live', { exact: true }).waitFor();
  const rowOf = (name: string) => page.getByRole('link', { name, exact: true });
  await rowOf('x-0').waitFor();
  await acknowledge(...ids.slice(0, 1));
  await rowOf('x-0').waitFor({ state: 'detached' });
  await acknowledge(...ids.slice(100, 610));
  await acknowledge(...ids.slice(1, 2));
  await rowOf('x-1').waitFor({ state: 'detached' });
  expect(await rowOf('x-0').count()).toBe(0);
  await rowOf('x-2').waitFor();
});

test('an older event that begins to match appears in its place; while the list is held, it is counted', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const account = await admin.createAccount({ delivery_url: null });
  const [newest = '', middle = '', oldest = ''] = await events(gateway, account, 3, {}, 1);
  await acknowledge(newest);
  const path = `/events?state=acknowledged&account_id=${account.id}`;
  const page = await openConsole({ baseUrl, token: adminToken, path });
  await page.getByText('Live', { exact: true }).waitFor();
  const links = page.getByRole('table', { name: 'Events' }).getByRole('link');
  await links.first().waitFor();
  await acknowledge(oldest);
  await expect.poll(() => links.allInnerTexts()).toEqual(['x-0', 'x-2']);
  await page.getByRole('checkbox', { name: 'Select x-2' }).check();
  await acknowledge(middle);
  const show = page.getByRole('button', { name: 'Show 1 new event' });
  await show.waitFor();
  expect(await links.allInnerTexts()).toEqual(['x-0', 'x-2']);
  await show.click();
  await expect.poll(() => links.allInnerTexts()).toEqual(['x-0', 'x-1', 'x-2']);
});
