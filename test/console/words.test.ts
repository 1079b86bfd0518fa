import { expect } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { settingsInForce } from '../../src/config/in-force.ts';
import { messageFor, sampleOf } from '../support/providers/webhook.ts';
import { excessWidth, findings } from './support/axe.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { useSampleData } from './support/sample-data.ts';

const env = { DATA_DIR: '/srv/gateway-data' };
const gateway = consoleGateway({ settings: settingsInForce(readConfig('all', env), env, new Set()) });
const data = useSampleData(gateway);
const open = (path: string, narrow = false) =>
  openConsole({
    ...{ baseUrl: gateway.baseUrl, token: gateway.adminToken, path },
    ...(narrow ? { viewport: { width: 375, height: 740 } } : {}),
  });

test('a rejected webhook has its external id in the list of events, and its reason in that of rejected ones', async () => {
  const row = (page: Awaited<ReturnType<typeof open>>) => page.locator(`[data-event="${data.events.rejected}"]`);
  const { external_id } = await gateway.admin.event(data.events.rejected);
  const events = await open('/events?status=rejected');
  await row(events).getByText(external_id, { exact: true }).first().waitFor();
  expect(await row(events).getByText('bad_signature').count()).toBe(0);
  const rejected = await open('/rejected');
  await rejected.getByRole('columnheader', { name: 'Reason' }).waitFor();
  await row(rejected)
    .getByText(/signature|secret/)
    .first()
    .waitFor();
});

test('the counts of rejected webhooks are those of the filters, also of the time', async () => {
  const page = await open('/rejected');
  await page.getByRole('heading', { name: /rejected webhooks?: why/ }).waitFor();
  const answered = page.waitForResponse(/\/admin\/events\/rejected\?.*since=/);
  await page.goto(`${gateway.baseUrl}/dashboard/rejected?since=${new Date().toISOString()}`);
  expect(await (await answered).json()).toMatchObject({ counted: 0 });
  await page.getByText('No rejected webhook.').waitFor();
});

test('a rejected webhook is checked again by the keyboard, at 375 px, and its event leads back to it', async () => {
  const sample = sampleOf('github');
  const key = sample.newKey();
  const account = await gateway.admin.createAccount({
    ...{ provider: 'github', skip_signature_verification: false, signing_secret_current: sample.newKey().secret },
    delivery_url: `http://127.0.0.1:${data.consumer.port}`,
  });
  const url = `${gateway.baseUrl}/github/${account.account_slug}`;
  const { headers, body } = await messageFor(sample, key, { id: 'evt_1', url });
  await gateway.send(account, Buffer.from(body), Object.fromEntries(headers));
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await openConsole({
      ...{ baseUrl: gateway.baseUrl, token: gateway.adminToken, path: '/rejected', colorScheme },
      viewport: { width: 375, height: 740 },
    });
    await page.getByRole('heading', { name: /\d rejected webhooks: why/ }).waitFor();
    // Webhooks to the account of the sample data carry the secret itself.
    expect(await page.getByRole('button', { name: 'Check the newest again' }).count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Check the newest again' }).focus();
    await page.keyboard.press('Enter');
    if (colorScheme === 'light') {
      await page.getByText('Still rejected: ').waitFor();
      await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { signing_secret_current: key.secret });
      // The button has kept the focus.
      await page.keyboard.press('Enter');
    }
    const link = page.getByRole('link', { name: 'To the event' });
    await link.waitFor();
    expect(await excessWidth(page)).toBe(0);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const back = page.getByRole('link', { name: 'To the rejected webhook' });
    await back.waitFor();
    expect(await findings(page)).toEqual([]);
    await back.focus();
    await page.keyboard.press('Enter');
    await page.getByText('has verified it').waitFor();
    expect(await excessWidth(page)).toBe(0);
    expect(await findings(page)).toEqual([]);
  }
});

test('the page of backups names the file of the key in the data folder that is in use', async () => {
  const page = await open('/backups');
  await page.getByText('/srv/gateway-data/secrets/secrets-key').waitFor();
  expect(await page.getByText('.data/').count()).toBe(0);
});

test.each([
  ...['/', '/incidents', '/events', '/rejected', '/accounts', '/audit', '/backups', '/maintenance', '/providers'],
  ...['/tokens', '/settings'],
])('on %s, nothing of a table is cut off at 375 px', async (path) => {
  const page = await open(path, true);
  await page.getByRole('heading', { level: 1 }).waitFor();
  // The rows come after the heading. An open stream keeps the network busy.
  await page.waitForTimeout(1_000);
  const cut = await page.evaluate(() => {
    const wide = document.documentElement.clientWidth;
    const cells = [
      ...document.querySelectorAll<HTMLElement>('main td, main th, main [role="cell"], main [role="columnheader"]'),
    ];
    return cells
      .filter((cell) => cell.offsetParent !== null && cell.getBoundingClientRect().right > wide + 1)
      .map((cell) => cell.textContent);
  });
  expect(cut).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
});
