import { expect } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

/** An account with its page, whose consumers accept everything. */
async function accountPage(expectedErrors?: RegExp) {
  const { admin, baseUrl, adminToken } = gateway;
  const service = await consumerForTest();
  const account = await admin.createAccount({ delivery_url: service.url });
  const path = `/accounts/${account.id}`;
  const open = () =>
    openConsole({ baseUrl, token: adminToken, path, ...(expectedErrors === undefined ? {} : { expectedErrors }) });
  const arrive = async (type: string, amount = 0) => {
    const { body } = await send(baseUrl, account, JSON.stringify({ id: `${type}-${Math.random()}`, type, amount }));
    return String(body.id);
  };
  return { account, service, open, arrive, consumers: consumersOf(gateway, account.id) };
}

test('a consumer is added, and what the API refuses stands at the field', async () => {
  const { service, open, consumers } = await accountPage(/status of 422/);
  const page = await open();
  const list = page.getByRole('list', { name: 'Consumers' });
  await list.getByRole('listitem', { name: 'default' }).getByText(service.url).waitFor();
  await page.getByRole('button', { name: 'Add consumer' }).click();
  const form = page.getByRole('form', { name: 'New consumer' });
  await form.getByLabel('Name', { exact: true }).fill('default');
  await form.getByLabel('URL', { exact: true }).fill('https://billing.test/hook');
  await form.getByLabel('Secret', { exact: true }).fill('a-secret-of-a-test');
  await form.getByRole('button', { name: 'Create consumer' }).click();
  await form.getByText('Nothing was saved. Correct the marked fields.').waitFor();
  expect(await form.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  await form.getByLabel('Name', { exact: true }).fill('billing');
  await form.getByRole('button', { name: 'Create consumer' }).click();
  const row = list.getByRole('listitem', { name: 'billing' });
  await row.getByText('https://billing.test/hook').waitFor();
  await row.getByText('all webhooks').waitFor();
  await expect.poll(() => row.evaluate((element) => element === document.activeElement)).toBe(true);
  const { body } = await consumers.get('billing');
  expect(body).toMatchObject({ has_secret: true, enabled: true, condition: null });
});

test('the condition of a consumer shows which webhooks of the past it matches', async () => {
  const { open, arrive, consumers } = await accountPage();
  await consumers.made('billing', { condition: 'event_type == "invoice.paid"' });
  for (const [type, amount] of [
    ['invoice.paid', 5],
    ['order.paid', 20],
    ['order.paid', 30],
  ] as const)
    await arrive(type, amount);
  const page = await open();
  await page.getByRole('button', { name: 'Edit billing' }).click();
  const form = page.getByRole('form', { name: 'Edit billing' });
  await form.getByText('1 of the last 3 webhooks matches.').waitFor();
  await form.getByRole('textbox', { name: 'Condition' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('delivery_failed');
  await form.getByText('Not valid.').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('payload.amount > 10');
  await form.getByText('2 of the last 3 webhooks match.').waitFor();
  await page.keyboard.press('Escape');
  await form.getByRole('button', { name: 'Save changes' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('listitem', { name: 'billing' }).getByText('payload.amount > 10').waitFor();
  expect((await consumers.get('billing')).body.condition).toBe('payload.amount > 10');
});

test('of the consumer default, only its condition and whether it is enabled are edited', async () => {
  const { open, consumers } = await accountPage();
  const page = await open();
  await page.getByRole('button', { name: 'Edit default' }).click();
  const form = page.getByRole('form', { name: 'Edit default' });
  await form.getByRole('link', { name: 'edit the account' }).waitFor();
  expect(await form.getByLabel('URL', { exact: true }).count()).toBe(0);
  await form.getByLabel('Enabled').uncheck();
  await form.getByRole('button', { name: 'Save changes' }).click();
  const row = page.getByRole('listitem', { name: 'default' });
  await row.getByText('disabled', { exact: true }).waitFor();
  expect(await row.getByRole('button', { name: 'Delete default' }).count()).toBe(0);
  expect((await consumers.get('default')).body).toMatchObject({ enabled: false, condition: null });
});

test('a consumer and a whole account are paused with a reason, and resumed', async () => {
  const { open, consumers, account } = await accountPage();
  await consumers.made('billing');
  const page = await open();
  const row = page.getByRole('listitem', { name: 'billing' });
  const question = page.getByRole('dialog');
  await row.getByRole('button', { name: 'Pause billing' }).click();
  await question.getByLabel('Reason').fill('its database moves');
  await question.getByRole('button', { name: 'Pause deliveries' }).click();
  await row.getByText('its database moves').waitFor();
  expect((await consumers.get('billing')).body.paused).toMatchObject({ reason: 'its database moves' });
  await row.getByRole('button', { name: 'Resume billing' }).click();
  await row.getByRole('button', { name: 'Pause billing' }).waitFor();

  await page.getByRole('button', { name: 'Pause all' }).click();
  await question.getByLabel('Reason').fill('the shop moves');
  await question.getByRole('button', { name: 'Pause deliveries' }).click();
  await page.getByText('the shop moves').waitFor();
  expect((await gateway.admin.request('GET', `/admin/accounts/${account.id}`)).body.paused).not.toBeNull();
  await page.getByRole('button', { name: 'Resume all' }).click();
  await page.getByText('the shop moves').waitFor({ state: 'detached' });
});

test('a consumer is deleted after a question that says what becomes of its events', async () => {
  const { open, consumers } = await accountPage();
  await consumers.made('billing');
  const page = await open();
  await page.getByRole('button', { name: 'Delete billing' }).click();
  const question = page.getByRole('dialog', { name: 'Delete the consumer billing?' });
  await question.getByText('consumer_deleted').waitFor();
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('billing was deleted.').first().waitFor();
  await page.getByRole('listitem', { name: 'billing' }).waitFor({ state: 'detached' });
  expect(await consumers.names()).toEqual(['default']);
});

test('a backfill shows how many webhooks it finds before it starts, and then its progress', async () => {
  const { account, service, open, arrive, consumers } = await accountPage();
  for (const amount of [5, 20, 30]) await arrive('order.paid', amount);
  await consumers.made('audit', { url: `${service.url}/audit`, condition: 'payload.amount > 10' });
  const page = await open();
  await page.getByRole('button', { name: 'Backfill audit' }).click();
  const form = page.getByRole('form', { name: 'Backfill audit' });
  await form.getByRole('button', { name: 'Count webhooks' }).click();
  await form.getByText('2 webhooks become events of audit.').waitFor();
  await form.getByLabel('Events per second').fill('100');
  // Another order has another count.
  await form.getByText('2 webhooks become events of audit.').waitFor({ state: 'detached' });
  await form.getByRole('button', { name: 'Count webhooks' }).click();
  await form.getByText('2 webhooks become events of audit.').waitFor();
  await form.getByText('Show them').click();
  await form.getByRole('button', { name: 'Start the backfill' }).click();
  const jobs = page.getByRole('list', { name: 'Bulk jobs' });
  await jobs.getByText('Backfill of audit').waitFor();
  await jobs.getByText('2 of 2 done').waitFor();
  await expect.poll(() => service.deliveries.filter(({ url }) => url === '/hook/audit').length).toBe(2);
  const { body } = await gateway.admin.request('GET', '/admin/events?consumer=audit');
  // The workers write the counts every few seconds.
  const counted = async () => {
    const { body: day } = await gateway.admin.request(
      'GET',
      `/admin/accounts/${account.id}/consumer?consumer=audit&hours=2`,
    );
    return day.points[0].attempts + day.points[1].attempts;
  };
  await expect.poll(counted).toBe(2);
  await page.reload();
  await page.getByRole('listitem', { name: 'audit' }).getByText('100 % of 2 attempts in the last hour').waitFor();
  await page.getByRole('listitem', { name: 'audit' }).getByText('Last success').waitFor();
  await page.goto(`${gateway.baseUrl}/dashboard/events/${body[0].id}`);
  await page.getByText('A backfill of audit has made this event').waitFor();
});
