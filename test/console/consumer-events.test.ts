import { expect } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { useForAll } from '../support/use.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

/** An account whose consumers `default` and `billing` get invoices, `audit` payments, and nobody the rest. */
async function shopWithEvents() {
  const { admin, baseUrl } = gateway;
  const account = await admin.createAccount({ account_slug: 'shop', delivery_url: null });
  const consumers = consumersOf(gateway, account.id);
  await consumers.patch('default', { enabled: false });
  await consumers.made('billing', { condition: 'event_type.startswith("invoice.")' });
  await consumers.made('mail', { condition: 'event_type == "invoice.paid"' });
  await consumers.made('audit', { condition: 'event_type == "payment"' });
  const arrive = async (type: string) => {
    const { body } = await send(baseUrl, account, JSON.stringify({ id: type, type }));
    return String(body.id);
  };
  return { account, invoice: await arrive('invoice.paid'), skipped: await arrive('ping') };
}

const shop = useForAll(shopWithEvents);

test('the list is filtered by consumer and by whether a webhook was skipped, also in its address', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events?account_slug=shop' });
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
  await rows.filter({ hasText: 'generic/shop → billing' }).waitFor();
  await rows.filter({ hasText: 'generic/shop → mail' }).waitFor();
  await rows.filter({ hasText: 'ping' }).getByText('skipped').waitFor();
  await page.getByRole('button', { name: 'Consumer' }).click();
  await page.getByRole('dialog', { name: 'Consumer' }).getByRole('button', { name: 'mail' }).click();
  await page.waitForURL(/consumer=mail/);
  await rows.filter({ hasText: 'billing' }).waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'generic/shop → mail' }).waitFor();
  await page.getByRole('button', { name: 'Remove Consumer' }).click();
  await page.getByRole('button', { name: 'Skipped' }).click();
  await page.getByRole('dialog', { name: 'Skipped' }).getByRole('button', { name: 'true' }).click();
  await page.waitForURL(/skipped=true/);
  await rows.filter({ hasText: 'mail' }).waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'ping' }).waitFor();
});

test('the page of an event shows the events of the other consumers, and whose condition did not hold', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken, path: `/events/${shop.invoice}` });
  const others = page.getByRole('list', { name: 'Other consumers' });
  await others.getByRole('listitem').filter({ hasText: 'audit' }).getByText('its condition did not hold').waitFor();
  await others.getByRole('link', { name: 'mail' }).click();
  await others.getByRole('link', { name: 'billing' }).waitFor();
  await page.getByText('Request id').waitFor();
  expect(await others.getByRole('listitem').count()).toBe(2);
});

test('a skipped webhook says that no consumer matched, and offers no action', async () => {
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken, path: `/events/${shop.skipped}` });
  await page.getByText('No consumer matched.').waitFor();
  await page.getByText('the conditions of billing, mail, audit did not hold').waitFor();
  for (const name of ['Replay', 'Retry now', 'Acknowledge', 'Mark failed …', 'Mark dead …'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  await page.getByRole('link', { name: 'To the account' }).click();
  await page.getByRole('heading', { name: 'Consumers', exact: true }).waitFor();
});

test('a test delivery goes to the consumer that was chosen', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const [service, other] = [await consumerForTest(), await consumerForTest()];
  const account = await admin.createAccount({ delivery_url: service.url });
  await consumersOf(gateway, account.id).made('billing', { url: other.url });
  const page = await openConsole({ baseUrl, token: adminToken, path: `/accounts/${account.id}` });
  await page.getByLabel('Consumer', { exact: true }).selectOption('billing');
  await page.getByRole('button', { name: 'Send test delivery' }).click();
  await page.getByText(/accepted it with 200/).waitFor();
  expect([service.deliveries.length, other.deliveries.length]).toEqual([0, 1]);
});
