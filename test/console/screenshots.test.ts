import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { backupFolder } from '../support/backup-folder.ts';
import { askMaintenance, backupEnded, scheduled, triggered } from '../support/maintenance.ts';
import { excessWidth, findings } from './support/axe.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { openIncident } from './support/open-incident.ts';
import { type SampleData, useSampleData } from './support/sample-data.ts';

// Every page, in both schemes and four widths: screenshots to look at, nothing wider than the window, and no finding of axe.

const folder = fileURLToPath(new URL('../../build/screenshots/', import.meta.url));
const gateway = consoleGateway({ maintenance: { backupDir: backupFolder() } });
const data = useSampleData(gateway);
/** The incident that the failed event of the sample has opened. */
let jobId = '';
let incidentId = '';
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await scheduled(gateway, 'backup');
  const { body } = await askMaintenance(gateway, 'POST', '/admin/backups/trigger');
  await backupEnded(gateway, body.id);
  await triggered(gateway, 'retention');
  const order = { action: 'replay', ids: [data.events.rejected], per_second: 5 };
  jobId = (await gateway.admin.post('/admin/events/bulk', order)).body.id;
  for (const token of [
    { name: 'shop-developer', role: 'operate', app_key: 'shop', expires_at: new Date(Date.now() + 90 * 86_400_000) },
    { name: 'billing.pipeline@example.com', role: 'read', account_id: data.accounts.failed.id },
    { name: 'terraform', role: 'admin' },
  ])
    await gateway.admin.post('/admin/tokens', token);
  incidentId = (await openIncident(gateway.admin, data.accounts.failed)).id;
});

const pages: [name: string, path: (data: SampleData) => string, heading: RegExp][] = [
  ['overview', () => '/', /^Overview$/],
  ['incidents', () => '/incidents', /^Incidents$/],
  ['incident', () => `/incidents/${incidentId}`, /billing answers 500/],
  ['events', () => '/events', /^Events$/],
  ['event-delivered', ({ events }) => `/events/${events.delivered}`, /./],
  ['event-failed', ({ events }) => `/events/${events.failed}`, /./],
  ['event-rejected', ({ events }) => `/events/${events.rejected}`, /./],
  ['event-hostile', ({ events }) => `/events/${events.hostile}`, /./],
  ['event-binary', ({ events }) => `/events/${events.binary}`, /./],
  ['job', () => `/jobs/${jobId}`, /^Replay$/],
  ['rejected', () => '/rejected', /^Rejected/],
  ['accounts', () => '/accounts', /^Accounts$/],
  ['account-guide', () => '/accounts?new=stripe', /./],
  ['account', ({ accounts }) => `/accounts/${accounts.failed.id}`, /billing/],
  ['audit', () => '/audit', /^Audit log$/],
  ['backups', () => '/backups', /^Backups$/],
  ['maintenance', () => '/maintenance', /^Maintenance$/],
  ['providers', () => '/providers', /^Providers$/],
  ['tokens', () => '/tokens', /^Tokens$/],
  ['settings', () => '/settings', /^Settings$/],
];
const heights = { 375: 812, 768: 1_024, 1440: 900, 2560: 1_440 };
const widths = Object.keys(heights).map(Number) as (keyof typeof heights)[];

/** Waits until nothing is being loaded or shown any more. */
async function settled(page: Page): Promise<void> {
  // The live tail keeps a request open, so the network is never idle.
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

test.each(pages)('%s', async (name, path, heading) => {
  const { baseUrl, adminToken } = gateway;
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await openConsole({
      baseUrl,
      token: adminToken,
      path: path(data),
      colorScheme,
      viewport: { width: 1440, height: 900 },
    });
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height: heights[width] });
      await settled(page);
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      expect([width, await excessWidth(page)]).toEqual([width, 0]);
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
      if (width === 375 || width === 1440) expect([width, await findings(page)]).toEqual([width, []]);
    }
    await page.close();
  }
});
