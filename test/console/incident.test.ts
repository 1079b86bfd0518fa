import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { until } from '../support/until.ts';
import { findings } from './support/axe.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

// Two retries, so that an event is exhausted a second after its first attempt.
const gateway = consoleGateway({ delaysMs: [500, 500] });

/** An incident ends a minute after the last failure, and the gateway looks every ten seconds. */
const endLimitMs = 120_000;
const testLimitMs = 360_000;

const broken = "TypeError: Cannot read properties of null (reading 'id') at webhooks.js:42";

/** An account whose three consumers count what they accept; `billing` can be broken. */
async function shop() {
  const { admin, baseUrl } = gateway;
  let isBroken = false;
  const accepted = new Map<string, number>();
  const attempted: string[] = [];
  const service = await consumerForTest((response: ServerResponse, { url, headers }) => {
    attempted.push(url);
    if (isBroken && url.endsWith('/billing')) return void response.writeHead(500).end(`${broken}\n  at main`);
    const key = `${url} ${headers['webhook-id']}`;
    accepted.set(key, (accepted.get(key) ?? 0) + 1);
    response.writeHead(200).end();
  });
  const account = await admin.createAccount({ provider: 'stripe', delivery_url: service.url });
  const consumers = consumersOf(gateway, account.id);
  for (const name of ['billing', 'audit']) await consumers.made(name, { url: `${service.url}/${name}` });
  let sent = 0;
  return {
    account,
    /** How often each event was accepted, by consumer and event. */
    accepted,
    attemptsOf: (name: string) => attempted.filter((url) => url.endsWith(`/${name}`)).length,
    breakBilling: (now: boolean) => {
      isBroken = now;
    },
    async arrive(n: number) {
      for (let i = 0; i < n; i++) {
        sent += 1;
        await send(baseUrl, account, JSON.stringify({ id: `evt_${sent}`, type: 'order.paid' }));
      }
      return sent;
    },
  };
}

const lineOf = (page: Page, { account_slug }: { account_slug: string }) =>
  page.getByRole('list', { name: 'Incidents' }).getByRole('listitem', { name: `stripe/${account_slug} → billing` });

test(
  'one of three consumers breaks: the overview says which and why, it is paused, repaired and replayed, and the incident ends by itself',
  async () => {
    const { baseUrl, adminToken } = gateway;
    const { account, accepted, attemptsOf, breakBilling, arrive } = await shop();
    const page = await openConsole({ baseUrl, token: adminToken });
    await page.getByText('Nothing fails: no consumer').waitFor();
    await arrive(5);
    await until('the first webhooks are accepted', () => accepted.size === 15);

    breakBilling(true);
    const brokenAtMs = Date.now();
    await arrive(6);
    const line = lineOf(page, account);
    await line.waitFor();
    await line.getByText('answers 500').waitFor();
    await line.getByText('TypeError: Cannot read properties of null').waitFor();
    const since = await line.getByRole('time').or(line.locator('time')).first().getAttribute('datetime');
    const sinceMs = Date.parse(since ?? '');
    expect(sinceMs).toBeGreaterThanOrEqual(brokenAtMs);
    expect(sinceMs).toBeLessThanOrEqual(Date.now());
    // The success rate is that of attempts, also of those that are retried.
    await page.getByText(/of \d+ attempts failed in the last 15 min/).waitFor();

    await line.getByRole('link', { name: /TypeError/ }).click();
    await page.locator('#answer').getByText(broken).waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === 'Request and answer');
    // The event leads back to its incident.
    await page
      .getByRole('list', { name: 'Open incidents' })
      .getByRole('link', { name: /answers 500/ })
      .click();
    await page
      .getByRole('heading', { level: 1, name: `stripe/${account.account_slug} → billing answers 500` })
      .waitFor();

    const fact = (name: string) => page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
    const exhaustedNow = async () => Number(await fact('Exhausted').locator('dd').innerText());
    await expect.poll(exhaustedNow).toBeGreaterThan(0);
    await page.getByRole('button', { name: /^Pause/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('a fix is deployed');
    await dialog.getByRole('button', { name: 'Pause deliveries' }).click();
    await page.getByText('a fix is deployed').waitFor();
    await arrive(3);
    await until('the other consumers go on', () => accepted.size === 5 * 3 + 6 * 2 + 3 * 2);
    const attempts = attemptsOf('billing');
    breakBilling(false);
    await page.waitForTimeout(2_000);
    expect(attemptsOf('billing')).toBe(attempts);

    await page.getByRole('button', { name: /^Resume/ }).click();
    await page.getByText('a fix is deployed').waitFor({ state: 'detached' });
    await fact('Waiting for another attempt').getByText('0', { exact: true }).waitFor();
    const exhausted = await exhaustedNow();
    await page.getByRole('button', { name: 'Replay …' }).click();
    await page.getByLabel('Events per second').fill('5');
    await page.getByRole('button', { name: new RegExp(`^Replay ${exhausted} event`) }).click();
    await page.getByRole('link', { name: 'See how far it is' }).click();
    await page
      .getByText(new RegExp(`${exhausted} of ${exhausted}`))
      .first()
      .waitFor();
    await until('all webhooks are accepted by all consumers', () => accepted.size === 14 * 3);
    await page.goBack();
    await fact('Exhausted').getByText('0', { exact: true }).waitFor();
    await page.getByText('It is over.').waitFor({ timeout: endLimitMs });
    await page.getByText('Nothing of it is left.').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Nothing fails: no consumer').waitFor();
    expect([...accepted].filter(([, times]) => times !== 1)).toEqual([]);
  },
  testLimitMs,
);

test(
  'with the keyboard alone at 375 px: an incident is opened, acknowledged and closed with a note; axe finds nothing',
  async () => {
    const { baseUrl, adminToken } = gateway;
    const { account, breakBilling, arrive } = await shop();
    breakBilling(true);
    await arrive(6);
    const page = await openConsole({ baseUrl, token: adminToken, viewport: { width: 375, height: 812 } });
    const line = lineOf(page, account);
    await line.waitFor();
    const wider = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect([await wider(), await findings(page)]).toEqual([0, []]);

    await pressUntil(page, `stripe/${account.account_slug} → billing answers 500`);
    await page.getByRole('heading', { level: 1, name: /billing answers 500/ }).waitFor();
    expect([await wider(), await findings(page)]).toEqual([0, []]);
    await pressUntil(page, 'Acknowledge');
    await page.getByText('acknowledged', { exact: true }).waitFor();
    await pressUntil(page, 'Replay …');
    await page.getByRole('button', { name: /^Replay \d+ event/ }).waitFor();
    expect([await wider(), await findings(page)]).toEqual([0, []]);
    await pressUntil(page, 'Close …');
    await page.getByRole('dialog').waitFor();
    expect([await wider(), await findings(page)]).toEqual([0, []]);
    await pressUntil(page, 'Note', null);
    await page.keyboard.type('the test of the shop was broken');
    await page.keyboard.press('Enter');
    await page.getByText('the test of the shop was broken').waitFor();
    await page.getByText('tester closed it').waitFor();
    // The page may be read again before the answer to the change has come: letters are then a part of the note.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
    await pressUntil(page, 'Over');
    await page.getByRole('link', { name: new RegExp(`${account.account_slug} → billing answered 500`) }).waitFor();
    expect([await wider(), await findings(page)]).toEqual([0, []]);
  },
  testLimitMs,
);

/** Presses Tab until the element with this name has the focus, and then a key. */
async function pressUntil(page: Page, name: string, key: string | null = 'Enter'): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element?.textContent;
      return label?.trim() ?? '';
    });
    if (focused === name) {
      if (key !== null) await page.keyboard.press(key);
      return;
    }
    seen.push(focused);
  }
  throw new Error(`Tab does not lead to ${name}, but to ${JSON.stringify(seen)}`);
}
