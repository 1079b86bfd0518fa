import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { backupFolder } from '../support/backup-folder.ts';
import { backupEnded, scheduled, triggered } from '../support/maintenance.ts';
import { openConsole } from './support/browser.ts';
import { test } from './support/browser-test.ts';
import { consoleGateway } from './support/console-gateway.ts';
import { type SampleData, useSampleData } from './support/sample-data.ts';

// Every page, in both schemes and three widths: screenshots to look at, nothing wider than the window, and no finding of axe.

const folder = fileURLToPath(new URL('../../build/screenshots/', import.meta.url));
const gateway = consoleGateway({ maintenance: { backupDir: backupFolder() } });
const data = useSampleData(gateway);
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await scheduled(gateway, 'backup');
  const { body } = await gateway.admin.post('/admin/backups/trigger');
  await backupEnded(gateway, body.id);
  await triggered(gateway, 'retention');
});

const pages: [name: string, path: (data: SampleData) => string, heading: RegExp][] = [
  ['overview', () => '/', /^Overview$/],
  ['events', () => '/events', /^Events$/],
  ['event-delivered', ({ events }) => `/events/${events.delivered}`, /./],
  ['event-failed', ({ events }) => `/events/${events.failed}`, /./],
  ['event-rejected', ({ events }) => `/events/${events.rejected}`, /./],
  ['event-hostile', ({ events }) => `/events/${events.hostile}`, /./],
  ['event-binary', ({ events }) => `/events/${events.binary}`, /./],
  ['rejected', () => '/rejected', /^Rejected/],
  ['accounts', () => '/accounts', /^Accounts$/],
  ['account-guide', () => '/accounts?new=stripe', /./],
  ['account', ({ accounts }) => `/accounts/${accounts.failed.id}`, /billing/],
  ['audit', () => '/audit', /^Audit log$/],
  ['backups', () => '/backups', /^Backups$/],
  ['maintenance', () => '/maintenance', /^Maintenance$/],
  ['providers', () => '/providers', /^Providers$/],
  ['settings', () => '/settings', /^Settings$/],
];
const widths = [375, 1280, 2560];

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
      // A busy Temporal may exceed the limit of a call once; the page asks again.
      expectedErrors: /status of 503/,
      colorScheme,
      viewport: { width: 1280, height: 900 },
    });
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height: width === 375 ? 812 : width === 1280 ? 900 : 1440 });
      await settled(page);
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      const wider = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([width, wider]).toEqual([width, 0]);
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
      if (width < 2560) expect([width, await findings(page)]).toEqual([width, []]);
    }
    await page.close();
  }
});

/** What axe finds: the rule, and where. */
async function findings(page: Page): Promise<string[]> {
  // Evaluated by the browser's debugger, which the policy of the pages does not concern.
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
    );
  });
  return found;
}
