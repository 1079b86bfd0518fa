import { expect } from 'vitest';
import { accountForTest } from '../support/consumer.ts';
import { excessWidth, findings } from './support/axe.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway, tokens } from './support/console-gateway.ts';

const gateway = consoleGateway();

/** An event whose attempts have all failed. */
async function exhausted() {
  const { account } = await accountForTest(gateway.admin, 500);
  const { body } = await gateway.send(account, '{"id":"1","type":"order.paid"}');
  await gateway.admin.eventually(body.id, (event) => event.delivery_status === 'failed');
  return body.id as string;
}

test('the timeline shows what operators wrote, with who and when, and the pause that the event met', async () => {
  const { baseUrl } = gateway;
  const id = await exhausted();
  await gateway.admin.post('/admin/delivery/pause', { reason: 'the shop moves' });
  await gateway.admin.post(`/admin/events/${id}/fail`, { error: 'the shop has lost it' });
  const page = await openConsole({ baseUrl, token: tokens.operator, path: `/events/${id}` });
  const timeline = page.getByRole('region').or(page.locator('section')).filter({ hasText: 'What happened' }).first();
  await timeline.getByText('tester marked it failed').waitFor();
  await timeline.getByText('the shop has lost it').waitFor();
  // It was over when the pause began.
  expect(await timeline.getByText('the shop moves').count()).toBe(0);

  await page.getByRole('textbox', { name: 'Reason for the timeline' }).fill('the shop was repaired');
  await page.getByRole('button', { name: 'Replay' }).click();
  const replayed = timeline.getByRole('listitem').filter({ hasText: 'olga replayed it' });
  await replayed.getByText('the shop was repaired').waitFor();
  const paused = timeline.getByRole('listitem').filter({ hasText: 'tester paused all deliveries' });
  await paused.getByText('the shop moves').waitFor();
  // The field is empty again, so that the reason is not sent with the next action.
  await expect.poll(() => page.getByRole('textbox', { name: 'Reason for the timeline' }).inputValue()).toBe('');

  await page.getByRole('button', { name: 'Mark dead' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('no order 4711');
  await dialog.getByRole('button', { name: 'Mark dead' }).click();
  await timeline.getByRole('listitem').filter({ hasText: 'olga marked it dead' }).getByText('no order 4711').waitFor();
  await gateway.admin.post('/admin/delivery/resume');
  await timeline.getByText('tester resumed all deliveries').waitFor();
});

test('a bulk order has a reason, which its job and the timelines of its events show', async () => {
  const { baseUrl, adminToken } = gateway;
  const id = await exhausted();
  const page = await openConsole({ baseUrl, token: adminToken, path: '/events?delivery_status=failed' });
  await page.getByRole('checkbox', { name: 'Select all loaded events' }).check();
  await page.getByRole('button', { name: 'Acknowledge …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('booked by hand');
  await dialog.getByRole('button', { name: /^Acknowledge/ }).click();
  await page.getByRole('list', { name: 'Bulk jobs' }).getByText('booked by hand').waitFor();
  await gateway.admin.eventually(id, (event) => event.status === 'processed');
  await page.goto(`${baseUrl}/dashboard/events/${id}`);
  const entry = page.getByRole('listitem').filter({ hasText: 'tester acknowledged it, with others' });
  await entry.getByText('booked by hand').waitFor();
});

test('the last answer and each attempt show the headers that were sent and answered', async () => {
  const { baseUrl } = gateway;
  const { account } = await accountForTest(
    gateway.admin,
    (response) => response.writeHead(503, { 'x-trace': 'abc' }).end(),
    200,
  );
  const { body } = await gateway.send(account, '{"id":"1","type":"order.paid"}');
  await gateway.admin.eventually(body.id, (event) => event.delivery_status === 'delivered');
  const page = await openConsole({ baseUrl, token: tokens.operator, path: `/events/${body.id}` });
  await page.getByText('Headers of request and answer').click();
  const last = page.getByRole('figure', { name: 'Headers sent' }).first();
  await last.getByText(`webhook-id: ${body.id}`).waitFor();
  const failed = page.getByRole('listitem').filter({ hasText: 'HTTP 503' }).last();
  await failed.getByText('Request and answer').click();
  await failed.getByRole('figure', { name: 'Headers of the answer' }).getByText('x-trace: abc').waitFor();
  for (const width of [375, 1_440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await excessWidth(page)).toBe(0);
    expect(await findings(page)).toEqual([]);
  }

  const { account: steady } = await accountForTest(gateway.admin);
  const { body: first } = await gateway.send(steady, '{"id":"1"}');
  await gateway.admin.eventually(first.id, (event) => event.delivery_status === 'delivered');
  await page.goto(`${baseUrl}/dashboard/events/${first.id}`);
  await page.getByText('Headers of request and answer').click();
  await page.getByText('The headers of a first attempt that succeeds are not stored.').first().waitFor();
});
