import { expect } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { openIncident } from './support/open-incident.ts';

const gateway = consoleGateway({ delaysMs: [20] });

test('with the keyboard alone, the line of an incident pauses, resumes and replays', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const { account, consumer } = await accountForTest(admin, 500);
  for (let n = 0; n < 4; n++) {
    const { body } = await send(baseUrl, account, `{"id":"${n}"}`);
    await admin.eventually(body.id, (event) => event.delivery_status === 'failed');
  }
  await openIncident(admin, account);
  const page = await openConsole({ baseUrl, token: adminToken });
  const line = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem').first();
  await line.getByRole('link', { name: '4 exhausted' }).waitFor();
  const press = async (name: string | RegExp) => {
    await line.getByRole('button', { name }).focus();
    await page.keyboard.press('Enter');
  };

  await press(/^Pause/);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').focus();
  await page.keyboard.type('a fix is deployed');
  await page.keyboard.press('Enter');
  await line.getByText('paused: a fix is deployed').waitFor();
  await press(/^Resume/);
  await line.getByText('paused').waitFor({ state: 'detached' });

  consumer.replies = [200];
  await press(/^Replay/);
  const form = line.getByRole('form', { name: 'Replay at a pace' });
  const order = form.getByRole('button', { name: 'Replay 4 events' });
  await order.focus();
  await page.keyboard.press('Enter');
  await line.getByRole('link', { name: 'See how far it is' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Replay' }).waitFor();
  await page
    .getByText(/4 of 4/)
    .first()
    .waitFor();
  await expect.poll(() => consumer.deliveries.length).toBe(4 * 2 + 4);
});

test('with the keyboard alone, an event is acknowledged, and the answer is beside the button', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const { account } = await accountForTest(admin, 500);
  const { body } = await send(baseUrl, account, '{"id":"1"}');
  await admin.eventually(body.id, (event) => event.delivery_status === 'failed');
  const page = await openConsole({ baseUrl, token: adminToken, path: `/events/${body.id}` });
  const button = page.getByRole('button', { name: 'Acknowledge' });
  await button.waitFor();
  // From the heading, which has the focus, to the button.
  for (let n = 0; n < 20; n++) {
    await page.keyboard.press('Tab');
    if (await button.evaluate((element) => element === document.activeElement)) break;
  }
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Acknowledged' }).first().waitFor();
  expect((await admin.event(body.id)).state).toBe('acknowledged');
  // The time of a row in words, and whole, with its zone, in the tooltip.
  const time = page.locator('main time').first();
  expect(await time.getAttribute('title')).toMatch(/(CET|GMT\+1) · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/);
});

test('a question that has lost its reason does not come back by itself', async () => {
  const { admin, baseUrl, adminToken } = gateway;
  const { account } = await accountForTest(admin, 500);
  const pause = (order: 'pause' | 'resume') => admin.post(`/admin/accounts/${account.id}/${order}`);
  await pause('pause');
  const { body } = await send(baseUrl, account, '{"id":"asked"}');
  const page = await openConsole({ baseUrl, token: adminToken, path: `/events/${body.id}` });
  await page.getByText('waiting (paused)').first().waitFor();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay this event from the start?' });
  await dialog.waitFor();
  await pause('resume');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('exhausted').first().waitFor();
  await pause('pause');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText('waiting (paused)').first().waitFor();
  await page.getByText('Replay accepted').waitFor();
  expect(await dialog.count()).toBe(0);
});
