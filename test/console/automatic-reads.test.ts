import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

/** What an open overview of a gateway without accounts reads again and again. */
const repeated = [
  ...['health', 'incidents', 'accounts'],
  ...['delivery/stats', 'delivery/series', 'delivery/accounts', 'delivery/retrying'],
];

test('an open overview has one entry in the audit log for each of its reads', async () => {
  // In one clock hour, with the time of this test.
  const leftMs = 3_600_000 - (Date.now() % 3_600_000);
  if (leftMs < 120_000) await sleep(leftMs);
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: null });
  const reads = new Map<string, number>();
  page.on('response', (response) => {
    const [, path] = /^\/admin\/(.*)$/.exec(new URL(response.url()).pathname) ?? [];
    if (path !== undefined) reads.set(path, (reads.get(path) ?? 0) + 1);
  });
  await page.getByLabel('Admin token').fill(adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await expect.poll(() => repeated.filter((path) => (reads.get(path) ?? 0) < 2)).toEqual([]);
  const entries = await gateway.rows(
    `select action, count(*)::integer as n from audit_logs where actor = 'tester' group by action order by n desc`,
  );
  expect(entries.length).toBeGreaterThanOrEqual(repeated.length);
  expect(entries.filter(({ n }) => n > 1)).toEqual([]);
  // With one closing entry for each, that is fewer than 60 an hour.
  expect(entries.length).toBeLessThan(30);
});
