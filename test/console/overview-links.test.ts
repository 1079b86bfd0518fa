import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { until } from '../support/until.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { holdRoute } from './support/held-route.ts';

// Long enough that some events wait for their retry during the test.
const gateway = consoleGateway({ delaysMs: [600_000] });

/** Events in each state, and some that are no longer what they were: exhausted ones that were replayed, acknowledged or dead. */
async function fill() {
  const { admin } = gateway;
  const sent = async (account: { provider: string; account_slug: string }, n: number) =>
    (await send(gateway.baseUrl, account, `{"id":"${n}","type":"order.paid"}`)).body.id as string;
  const ok = await accountForTest(admin);
  for (let n = 0; n < 4; n++)
    await admin.eventually(await sent(ok.account, n), (event) => event.delivery_status === 'delivered');
  const failing = await accountForTest(admin, 500);
  const ids = [];
  for (let n = 0; n < 7; n++) ids.push(await sent(failing.account, n));
  for (const id of ids) await admin.eventually(id, (event) => event.attempts === 1);
  const [acked = '', dead = '', replayed = '', ...waiting] = ids;
  await admin.post(`/admin/events/${acked}/ack`);
  await admin.post(`/admin/events/${dead}/fail`, { dead: true });
  await admin.post(`/admin/events/${replayed}/replay`);
  await admin.eventually(replayed, (event) => event.generation === 1 && event.attempts === 1);
  const strict = await admin.createAccount({
    ...{ skip_signature_verification: false, signing_secret_current: 'a-secret-of-a-test' },
  });
  for (let n = 0; n < 3; n++) await sent(strict, n);
  const rejected = (await admin.request('GET', '/admin/events?status=rejected')).body;
  await admin.post(`/admin/events/${rejected[0].id}/ack`);
  return { waiting };
}

interface NumberLink {
  text: string;
  href: string;
}

/** The links in the content of the page that have a number in their text, and lead to a list of events. */
const numberLinks = (page: Page): Promise<NumberLink[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('main a')].flatMap((link) => {
      const { pathname, href } = link;
      const text = link.textContent ?? '';
      return /\/(events|rejected)$/.test(pathname) && /\d/.test(text) ? [{ text, href }] : [];
    }),
  );

/** The one number that a link names. Times are no counts. */
function numberOf(text: string): number {
  const withoutTimes = text.replace(/\d+ (s|min|h|d|ms) ago|oldest .*$/g, '');
  const numbers = withoutTimes.match(/\d[\d,]*/g) ?? [];
  expect(numbers, text).toHaveLength(1);
  return Number(numbers[0]?.replaceAll(',', ''));
}

/** How many events the list shows that a link opens: those that the page itself has asked for, page by page. */
async function countOfList(page: Page, href: string): Promise<number> {
  const answers: number[] = [];
  page.on('response', async (response) => {
    if (new URL(response.url()).pathname !== '/admin/events') return;
    // A list that is read again may be answered when its page is closed.
    const events = await response.json().catch(() => null);
    if (events !== null) answers.push(events.length);
  });
  await page.goto(href);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const table = page.getByRole('table').first();
  const empty = page.getByText(/^No (rejected webhook|event)/).first();
  await table.or(empty).first().waitFor();
  await expect.poll(() => answers.length).toBeGreaterThan(0);
  const rows = (await table.count()) > 0 ? await table.getAttribute('aria-rowcount') : '1';
  // All rows of this test fit one page.
  expect(answers[0]).toBeLessThan(100);
  expect(Number(rows ?? 1) - 1).toBe(answers.at(-1));
  return answers.at(-1) ?? 0;
}

test('each number of the overview that is a link is the number of rows of the list that it opens', async () => {
  const { baseUrl, adminToken } = gateway;
  await fill();
  const open = (path: string) => openConsole({ baseUrl, token: adminToken, path });
  const checked = new Set<string>();
  for (const range of ['', '?range=24h', '?range=30d']) {
    const overview = await open(`/${range}`);
    await overview
      .getByText('Health')
      .or(overview.getByText(/are well/))
      .first()
      .waitFor();
    const links = await until('the overview has counted the events', async () => {
      const found = await numberLinks(overview);
      return found.some(({ text }) => numberOf(text) > 0) && found;
    });
    expect(links.length).toBeGreaterThan(0);
    for (const { text, href } of links) {
      // Only some of the numbers are those of the range.
      if (checked.has(href)) continue;
      checked.add(href);
      const page = await open('/settings');
      expect([text, await countOfList(page, href)]).toEqual([text, numberOf(text)]);
      await page.close();
    }
    await overview.close();
  }
});

test('each number of an incident leads to a list of so many events', async () => {
  const { baseUrl, adminToken } = gateway;
  const open = (path: string) => openConsole({ baseUrl, token: adminToken, path });
  const list = await open('/incidents');
  await list.getByRole('row').nth(1).waitFor();
  const links = await numberLinks(list);
  const incidents = await list
    .getByRole('row')
    .getByRole('link', { name: /answers 500/ })
    .all();
  for (const incident of incidents) {
    const page = await open(
      new URL(await incident.evaluate((link: HTMLAnchorElement) => link.href)).pathname.replace('/dashboard', ''),
    );
    await page.getByText('Exhausted').first().waitFor();
    links.push(...(await numberLinks(page)));
  }
  // Waiting ones in the list, and on the page of the incident also the exhausted ones, of which there are none.
  expect(links.length).toBeGreaterThan(2);
  for (const [href, text] of new Map(links.map((link) => [link.href, link.text]))) {
    const page = await open('/settings');
    expect([text, await countOfList(page, href)]).toEqual([text, numberOf(text)]);
    await page.close();
  }
});

test('the charts say what happened in other words than lists say what is', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken });
  const sums = page.locator('p').filter({ hasText: /arrivals?.*deliver(y|ies).*failures?.*rejections?/ });
  await sums.waitFor();
  expect(await sums.getByRole('link').allTextContents()).toEqual(['Events since then']);
});

test('while another range loads, the numbers of the last one keep its name', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken });
  const chart = (range: string) => page.getByRole('heading', { name: `Webhooks of ${range}` });
  const accounts = (range: string) => page.getByRole('region', { name: `Accounts that fail most in ${range}` });
  await chart('the last hour').waitFor();
  await accounts('the last hour').waitFor();
  const asked = [/\/series\?.*step=1h/, /\/accounts\?.*hours=168/].map((url) => page.waitForRequest(url));
  const numbers = await holdRoute(page, /\/admin\/delivery\/(series|accounts)/);
  await page.getByText('7 d', { exact: true }).click();
  await Promise.all(asked);
  expect([await chart('the last hour').count(), await accounts('the last hour').count()]).toEqual([1, 1]);
  numbers.release();
  await chart('the last 7 days').waitFor();
  await accounts('the last 7 days').waitFor();
});
