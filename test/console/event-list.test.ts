import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { attemptOutcomes } from '../../src/delivery/attempt/outcome.ts';
import { startConsumer } from '../support/consumer.ts';
import { useForAll } from '../support/use.ts';
import { excessWidth, findings } from './support/axe.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

/** Two events whose attempts were all answered 500, and one that was delivered. */
async function threeEvents() {
  const failing = await startConsumer((response) => response.writeHead(500).end('Internal Server Error\nat line 2'));
  const well = await startConsumer();
  const account = await gateway.admin.createAccount({ delivery_url: failing.url });
  const other = await gateway.admin.createAccount({ delivery_url: well.url });
  const ids: string[] = [];
  for (const [to, type] of [
    [account, 'order.paid'],
    [account, 'order.created'],
    [other, 'order.shipped'],
  ] as const) {
    const { body } = await gateway.send(to, JSON.stringify({ id: type, type }));
    await gateway.admin.eventually(body.id, ({ delivery_status }) => delivery_status !== 'pending');
    ids.push(body.id);
  }
  return { ids, close: () => Promise.all([failing.close(), well.close()]) };
}

const stored = useForAll(threeEvents, ({ close }) => close());

const open = (path: string, options: Partial<Parameters<typeof openConsole>[0]> = {}) =>
  openConsole({ baseUrl: gateway.baseUrl, token: gateway.adminToken, path, ...options });

test('with the keyboard alone, the answer of each failed event is read beside the list', async () => {
  const page = await open('/events');
  const table = page.getByRole('table', { name: 'Events' });
  await table.getByRole('row').filter({ hasText: 'order.created' }).getByText('Internal Server Error').waitFor();
  const panel = page.getByRole('region', { name: 'Answer', exact: true });
  await page.keyboard.press('j');
  await page.keyboard.press('p');
  await panel.getByRole('heading', { name: 'order.shipped' }).waitFor();
  await page.keyboard.press('j');
  await panel.getByRole('heading', { name: 'order.created' }).waitFor();
  await panel.getByText('Last error:').waitFor();
  await panel.getByRole('region', { name: 'Body of the last answer' }).getByText('Internal Server Error').waitFor();
  await panel
    .getByRole('list', { name: 'Attempts' })
    .getByText(/^3 × 500$/)
    .waitFor();
  await page.keyboard.press('k');
  await panel.getByRole('heading', { name: 'order.shipped' }).waitFor();
  await panel.focus();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('order.shipped');
});

test('keys that follow each other at once each go on by a row', async () => {
  const page = await open('/events');
  const table = page.getByRole('table', { name: 'Events' });
  await table.getByRole('link', { name: 'order.paid' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('p');
  const panel = page.getByRole('region', { name: 'Answer', exact: true });
  await panel.getByRole('heading', { name: 'order.shipped' }).waitFor();
  await page.evaluate(() => {
    for (let n = 0; n < 2; n++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
  });
  await panel.getByRole('heading', { name: 'order.paid' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('order.paid');
});

test('answers that could not be read are read again', async () => {
  const page = await open('/settings', { expectedErrors: /status of 503/ });
  const isShown = Promise.withResolvers<void>();
  let calls = 0;
  await page.route(/\/admin\/events\/answers/, async (route) => {
    calls += 1;
    if (calls === 1) return await route.fulfill({ status: 503, json: {} });
    await isShown.promise;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: 'order.created' });
  await row.getByText('answered 500').waitFor();
  isShown.resolve();
  // The error of the attempt ends with the same words.
  await row.getByText('Internal Server Error', { exact: true }).waitFor();
  expect(calls).toBeGreaterThan(1);
});

test('in a narrow window, a row has its answer, which opens the whole one', async () => {
  const page = await open('/events', { viewport: { width: 375, height: 800 } });
  const row = page.getByRole('row').filter({ hasText: 'order.created' });
  await row.getByRole('button', { name: /^Answer to order.created: Internal Server Error/ }).click();
  const panel = page.getByRole('region', { name: 'Answer', exact: true });
  await panel.getByText('at line 2').waitFor();
  await panel.getByRole('button', { name: 'Close the answer' }).click();
  await panel.waitFor({ state: 'detached' });
});

test('the filters for status code and cause are in the address, also that of a bar', async () => {
  const page = await open('/events');
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
  const all = page.getByRole('region', { name: 'All events of these filters' });
  await all.getByText('3 events').waitFor();
  await page.getByRole('button', { name: 'Status code' }).click();
  await page.getByRole('dialog', { name: 'Status code' }).getByRole('button', { name: '500' }).click();
  await page.waitForURL(/response_code=500/);
  await all.getByText('2 events').waitFor();
  await rows.filter({ hasText: 'order.shipped' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Cause' }).click();
  await page.getByRole('dialog', { name: 'Cause' }).getByRole('button', { name: 'timeout', exact: true }).click();
  await page.getByText('No event matches these filters.').waitFor();
  await page.getByRole('button', { name: 'Remove Cause' }).click();
  await all
    .getByRole('button', { name: /[12] events?, [12] failed$/ })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/since=.*until=/);
  await all.getByText(/^[12] events?$/).waitFor();
});

test('a filter takes a value by the words that it shows, by its name, and by a part that only one has', async () => {
  const page = await open('/events');
  const type = async (filter: string, text: string) => {
    await page.getByRole('button', { name: new RegExp(`^${filter}(:|$)`) }).click();
    await page.getByLabel(`${filter}: type a value`).fill(text);
    await page.keyboard.press('Enter');
  };
  for (const [filter, text, value] of [
    ['Cause', 'Connection refused', 'cause=connection_refused'],
    ['Cause', 'dns_failure', 'cause=dns_failure'],
    ['Cause', 'http error', 'cause=http_error'],
    ['State', 'failed by a person', 'state=failed_by_person'],
    ['State', ' exha ', 'state=exhausted'],
    // Any text can be the type of an event.
    ['Event type', 'order.p', 'event_type=order.p'],
  ] as const) {
    await type(filter, text);
    await page.waitForURL((url) => url.search.slice(1).split('&').includes(value));
  }
  await page.getByText('No event matches these filters.').waitFor();

  const dialog = page.getByRole('dialog', { name: 'State' });
  // A part of several.
  await type('State', 'ed');
  await dialog.getByRole('button', { name: 'delivered', exact: true }).waitFor();
  await page.getByLabel('State: type a value').fill('nothing');
  await page.keyboard.press('Enter');
  await dialog.getByText('There is no such value.').waitFor();
  expect(await dialog.getByRole('button').count()).toBe(0);
  expect(new URL(page.url()).searchParams.get('state')).toBe('exhausted');
});

test('the filter for causes has every outcome of a failed attempt', async () => {
  const page = await open('/events');
  await page.getByRole('button', { name: 'Cause' }).click();
  const values = page.getByRole('dialog', { name: 'Cause' }).getByRole('listitem');
  await values.first().waitFor();
  const failures = attemptOutcomes.filter((outcome) => outcome !== 'delivered');
  expect((await values.allInnerTexts()).sort()).toEqual(failures.map((one) => one.replaceAll('_', ' ')).sort());
});

test('the filtered events are saved as a file', async () => {
  const page = await open('/events?response_code=500');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('events.csv');
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain('order.created');
  await page.getByText('Saved.').waitFor();
});

test.each([375, 768, 1280])(
  'the answer beside the list fits %i px, as does the list, and axe finds nothing in both schemes',
  async (width) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open('/events', { colorScheme, viewport: { width, height: 800 } });
      await page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'order.created' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('p');
      await page.keyboard.press('j');
      await page.getByRole('region', { name: 'Body of the last answer' }).waitFor();
      await page.screenshot({ path: `build/screenshots/event-beside-${width}-${colorScheme}.png` });
      expect(await findings(page)).toEqual([]);
      expect(await excessWidth(page)).toBe(0);
      const table = page.getByRole('table', { name: 'Events' });
      expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    }
  },
);

test('the page of an event begins with the answer, folds equal attempts, and shows a result where it was pressed', async () => {
  const [id = ''] = stored.ids;
  const page = await open(`/events/${id}`);
  const lead = page.locator('section.panel').first();
  await lead.getByRole('region', { name: 'Body of the last answer' }).getByText('Internal Server Error').waitFor();
  const entries = page.locator('section').filter({ hasText: 'What happened' }).getByRole('listitem');
  await entries
    .filter({ hasText: /^3 × 500/ })
    .locator('summary')
    .first()
    .click();
  await page.getByText('Attempt 1', { exact: true }).waitFor();
  const texts = await entries.locator('strong').allInnerTexts();
  expect(texts.indexOf('Attempt 3')).toBeLessThan(texts.indexOf('Attempt 1'));
  expect(texts.at(-1)).toMatch(/^Received/);
  await lead.getByText('The consumer has processed it: attempts stop.').waitFor();
  await lead.getByRole('button', { name: 'Acknowledge' }).click();
  await lead.getByRole('status').getByText('Acknowledged: the event is processed, and its attempts stop.').waitFor();
});
