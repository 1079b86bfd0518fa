import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';

const gateway = consoleGateway();

test('an open overview has one entry in the audit log for each of its reads', async () => {
  // In one clock hour, with the time of this test.
  const leftMs = 3_600_000 - (Date.now() % 3_600_000);
  if (leftMs < 120_000) await sleep(leftMs);
  const { baseUrl, adminToken } = gateway;
  const page = await openConsole({ baseUrl, token: adminToken });
  let asked = 0;
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.startsWith('/admin/')) asked += 1;
  });
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await sleep(12_000);
  const entries = await gateway.rows(
    `select action, count(*)::integer as n from audit_logs where actor = 'tester' group by action order by n desc`,
  );
  expect(asked).toBeGreaterThan(entries.length);
  expect(entries.filter(({ n }) => n > 1)).toEqual([]);
  // With one closing entry for each, that is fewer than 60 an hour.
  expect(entries.length).toBeLessThan(30);
});
