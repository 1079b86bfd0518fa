import { events } from '../events/bulk/support.ts';
import type { StoredFields } from '../events/fill-events.ts';
import { until } from '../support/until.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { holdRoute } from './support/held-route.ts';

const gateway = consoleGateway();

const lists = [
  ['events', 'Events', {}],
  ['rejected', 'Rejected webhooks', { status: 'rejected', deliveryStatus: null }],
] as const;
const older = /\/admin\/events\?.*before=/;

/** Opens a list of 150 events, of which the first 100 are read. */
async function openLong(path: string, name: string, fields: Partial<StoredFields>) {
  const account = await gateway.admin.createAccount({ delivery_url: null });
  await events(gateway, account, 150, fields, 1);
  const page = await openConsole({
    baseUrl: gateway.baseUrl,
    token: gateway.adminToken,
    expectedErrors: /status of 500/,
  });
  // The page reads its list again when its stream begins.
  const stream = await holdRoute(page, /\/admin\/events\/stream/);
  await page.goto(`${gateway.baseUrl}/dashboard/${path}?account_id=${account.id}`);
  const table = page.getByRole('table', { name });
  await table.getByRole('link', { name: 'x-0', exact: true }).waitFor();
  const toEnd = () => table.evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
  const row = (id: string) => table.getByRole('link', { name: id, exact: true });
  /** Scrolls until the row with this id is in sight. */
  const reaches = (id: string) =>
    until(`${id} is in sight`, async () => {
      await toEnd();
      return row(id).isVisible();
    });
  return { page, toEnd, reaches, startStream: stream.release };
}

test.each(lists)('a next page of /%s that fails is told, and is read when asked again', async (path, name, fields) => {
  const { page, reaches } = await openLong(path, name, fields);
  await page.route(older, (route) => route.fulfill({ status: 500, json: {} }));
  await reaches('x-99');
  const problem = page.getByRole('alert').filter({ hasText: 'status 500' });
  await problem.waitFor();
  await page.unroute(older);
  await problem.getByRole('button', { name: 'Try again' }).click();
  await problem.waitFor({ state: 'detached' });
  await reaches('x-149');
});

test.each(lists)(
  'a next page of /%s is read again when the start of the stream has ended its call',
  async (path, name, fields) => {
    const { page, toEnd, reaches, startStream } = await openLong(path, name, fields);
    await page.route(older, () => undefined);
    await Promise.all([page.waitForRequest(older), toEnd()]);
    await Promise.all([page.waitForEvent('requestfailed', (request) => older.test(request.url())), startStream()]);
    await page.unroute(older);
    await reaches('x-149');
  },
);

test.each(lists)('a next page of /%s that failed in an outage is read after it', async (path, name, fields) => {
  const { page, reaches } = await openLong(path, name, fields);
  await page.route(older, (route) => route.fulfill({ status: 503, json: {} }));
  await reaches('x-99');
  await page.getByRole('alert').filter({ hasText: 'status 503' }).waitFor();
  await page.unroute(older);
  await reaches('x-149');
});
