import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { events, jobLimitMs } from '../events/bulk/support.ts';
import { accountForTest, type Reply } from '../support/consumer.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { excessWidth, findings } from './support/axe.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway, tokens } from './support/console-gateway.ts';

const gateway = consoleGateway();
const phone = { width: 375, height: 812 };

/** Failed events of an account of their own, and its name for filters. */
async function failedEvents(slug: string, count: number, ...replies: Reply[]) {
  const { account, consumer } = await accountForTest(gateway.admin, ...replies);
  const ids = (await events(gateway, account, count, { accountSlug: slug }, 1)).sort();
  return { account, consumer, ids };
}

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '';
    });
    if (name.test(focused)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${name} cannot be reached by Tab`);
}

/** The state of a link with a number: its text, and how many events its list has. */
async function listOf(page: Page, name: string) {
  const link = page.getByRole('list', { name: 'Results' }).getByRole('link', { name: new RegExp(`^${name}: `) });
  const href = (await link.getAttribute('href')) ?? '';
  const query = href.slice(href.indexOf('?'));
  const { body } = await gateway.admin.request('GET', `/admin/events${query}&limit=1000`);
  return [await link.textContent(), body.length];
}

test('a replay at a pace: the page of its job shows what became of the events, and replays what failed again', async () => {
  const { baseUrl, adminToken, database } = gateway;
  // Three of twelve fail again, until the consumer is repaired.
  let broken = true;
  const { ids } = await failedEvents('paced', 12, (response, { headers }) => {
    const isBad = broken && ['x-0', 'x-1', 'x-2'].includes(String(headers['x-webhook-external-id']));
    response.writeHead(isBad ? 500 : 200).end();
  });
  const page = await openConsole({
    baseUrl,
    token: adminToken,
    path: '/events?account_slug=paced&delivery_status=failed',
  });
  await page.getByRole('checkbox', { name: 'Select all loaded events' }).check();
  await page.getByRole('button', { name: 'Select everything that the filters find' }).click();
  await page.getByRole('button', { name: 'Replay …' }).click();
  const question = page.getByRole('dialog', { name: 'Replay 12 events?' });
  await question.getByRole('radio', { name: 'At most' }).check();
  await question.getByLabel('Events per second').fill('5');
  expect(await findings(page)).toEqual([]);
  await question.getByRole('button', { name: 'Replay 12 events' }).click();
  await page.getByRole('list', { name: 'Bulk jobs' }).getByRole('link', { name: 'Replay' }).click();
  await page.getByRole('heading', { level: 1, name: 'Replay' }).waitFor();
  await page.getByText('at most 5 a second').first().waitFor();
  await page.getByText('12 of 12 done').waitFor({ timeout: jobLimitMs });
  await page.getByRole('link', { name: 'Delivered: 9' }).waitFor({ timeout: jobLimitMs });
  await page.getByRole('link', { name: 'Exhausted again: 3' }).waitFor({ timeout: jobLimitMs });
  expect(await listOf(page, 'Delivered')).toEqual(['9', 9]);
  expect(await listOf(page, 'Exhausted again')).toEqual(['3', 3]);
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize(phone);
  expect([await excessWidth(page), await findings(page)]).toEqual([0, []]);

  broken = false;
  await page.getByRole('button', { name: 'Replay the exhausted ones …' }).click();
  const form = page.getByRole('form', { name: 'Replay at a pace' });
  await form.getByText('3 events').first().waitFor();
  expect(await form.getByLabel('Events per second').inputValue()).toBe('5');
  expect([await excessWidth(page), await findings(page)]).toEqual([0, []]);
  await form.getByRole('button', { name: 'Replay 3 events' }).click();
  await page.getByRole('link', { name: 'See how far it is' }).click();
  await page.getByRole('link', { name: 'Delivered: 3' }).waitFor({ timeout: jobLimitMs });
  const found = await rows(
    database,
    `select generation, count(*)::integer as n from events where id = any($1) group by 1 order by 1`,
    [ids],
  );
  expect(found).toEqual([
    { generation: 1, n: 9 },
    { generation: 2, n: 3 },
  ]);
});

test('by the keyboard alone, on a phone: order at a pace, open the job, stop it', async () => {
  const { baseUrl } = gateway;
  await failedEvents('by-keyboard', 40);
  const page = await openConsole({
    ...{ baseUrl, token: tokens.operator, path: '/events?account_slug=by-keyboard', viewport: phone },
  });
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await page.getByRole('link', { name: 'x-0' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await tabTo(page, /^Select everything/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^Replay …$/);
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Replay 40 events?' });
  await question.waitFor();
  const first = question.getByRole('radio', { name: 'All at once' });
  await until('the dialog has the focus', () => first.evaluate((radio) => radio === document.activeElement));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+A');
  // The slowest pace, and without a worker, so that the job runs until it is stopped.
  await gateway.stopWorker();
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  const job = page.getByRole('list', { name: 'Bulk jobs' }).getByRole('listitem').filter({ hasText: 'of 40' });
  await job.getByText('at most 1 a second').waitFor();
  await tabTo(page, /^Replay$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Replay' }).waitFor();
  await tabTo(page, /^Stop$/);
  expect(await excessWidth(page)).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  // The button that had the focus is gone.
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  await gateway.startWorker();
  await page.getByText('An operator has stopped it.').waitFor();
  await page.getByText('olga', { exact: true }).waitFor();
  const [left] = await rows(
    gateway.database,
    `select count(*)::integer as n from events where account_slug = 'by-keyboard' and generation = 0`,
  );
  expect(left?.n).toBeGreaterThan(0);
});

test('a job that a pause holds up says so, and goes on after it', async () => {
  const { baseUrl, adminToken, admin } = gateway;
  const { account, consumer } = await failedEvents('held', 2);
  await admin.post(`/admin/accounts/${account.id}/pause`);
  const { body: job } = await admin.post('/admin/events/bulk', {
    ...{ action: 'replay', filter: { account_slug: 'held' }, per_second: 5 },
  });
  const page = await openConsole({ baseUrl, token: adminToken, path: `/jobs/${job.id}` });
  await page.getByText('It waits: deliveries of its next event are paused.').waitFor();
  expect(await findings(page)).toEqual([]);
  await admin.post(`/admin/accounts/${account.id}/resume`);
  await page.getByRole('link', { name: 'Delivered: 2' }).waitFor({ timeout: jobLimitMs });
  expect(consumer.deliveries).toHaveLength(2);
});

test('what a job has left out is told by reason, its given ids are links; who may only read sees no buttons', async () => {
  const { baseUrl, admin } = gateway;
  const { account, ids } = await failedEvents('left-out', 2);
  const [rejected = ''] = await events(gateway, account, 1, { status: 'rejected', deliveryStatus: null });
  const { body: job } = await admin.post('/admin/events/bulk', {
    ...{ action: 'replay', ids: [...ids, rejected, '01900000-0000-7000-8000-000000000000'] },
  });
  await until(
    'the job has ended',
    async () => (await admin.request('GET', `/admin/events/bulk/${job.id}`)).body.ended_at !== null,
  );
  const page = await openConsole({ baseUrl, token: tokens.reader, path: `/jobs/${job.id}` });
  await page.getByText('1 event rejected at their receipt').waitFor();
  await page.getByText('1 event did not exist any more').waitFor();
  await page.getByText('all at once').waitFor();
  await page.getByText('4 given ids').click();
  await page.getByRole('link', { name: ids[0] ?? '' }).waitFor();
  expect(await page.getByRole('button', { name: /Stop|Replay/ }).count()).toBe(0);
  await page.getByRole('link', { name: ids[0] ?? '' }).click();
  await page.getByRole('link', { name: 'The last one that changed it' }).click();
  await page.getByRole('heading', { level: 1, name: 'Replay' }).waitFor();
});

test('a backfill that ended because its consumer has lost its address says so', async () => {
  const { baseUrl, adminToken, admin } = gateway;
  const { account } = await accountForTest(admin);
  const consumers = consumersOf(gateway, account.id);
  await consumers.made('other');
  await consumers.patch('default', { condition: 'event_type == "none"' });
  await gateway.send(account, '{"id":"before"}');
  await consumers.patch('default', { condition: null });
  await gateway.stopWorker();
  const { body: job } = await consumers.backfill('default', {
    since: new Date(Date.now() - 3_600_000).toISOString(),
  });
  await admin.request('PATCH', `/admin/accounts/${account.id}`, { delivery_url: null });
  await gateway.startWorker();
  const page = await openConsole({ baseUrl, token: adminToken, path: `/jobs/${job.id}` });
  await page.getByText('It ended because its account has no delivery URL any more.').waitFor();
});

test.each(['no-id', '01900000-0000-7000-8000-000000000000'])('there is no job %s', async (id) => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken, path: `/jobs/${id}`, expectedErrors: /status of 404/ });
  await page.getByText('There is no bulk job with this id.').waitFor();
});
