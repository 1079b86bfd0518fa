import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

test('an event fails, its page says why, the URL is corrected, and a replay delivers it', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const [broken, repaired] = [await consumerForTest(500), await consumerForTest(200)];
  const account = await admin.createAccount({ account_slug: 'billing', delivery_url: broken.url });
  const { body } = await send(baseUrl, account, '{"id":"inv-1","type":"invoice.finalized"}');
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events' });
  await page.getByRole('link', { name: 'invoice.finalized' }).click();
  await admin.eventually(body.id, (event) => event.delivery_status === 'failed');
  const timeline = page.getByRole('listitem');
  await timeline.filter({ hasText: /^3 × 500/ }).waitFor();
  await page.getByText('Last error:').waitFor();

  await page.getByRole('link', { name: 'generic/billing', exact: true }).click();
  await page.getByRole('button', { name: 'Edit' }).first().click();
  await page.getByLabel('Delivery URL', { exact: true }).fill(repaired.url);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(repaired.url).first().waitFor();

  await page.goBack();
  // The message is shown for some seconds only.
  await Promise.all([
    page.getByText('Delivered.').first().waitFor(),
    page.getByRole('button', { name: 'Replay', exact: true }).click(),
  ]);
  await timeline.filter({ hasText: 'replayed it' }).getByText('tester').waitFor();
  await timeline.filter({ hasText: 'replay 1' }).getByText('HTTP 200').waitFor();
  expect(repaired.deliveries).toHaveLength(1);
});
