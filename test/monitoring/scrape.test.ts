import { join } from 'node:path';
import { expect, test } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { scraped } from '../process/metrics/exposition.ts';
import { accountForTest } from '../support/consumer.ts';
import { gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { askMaintenance, backupEnded, scheduled } from '../support/maintenance.ts';
import { newAuthority } from '../support/tls/certificates.ts';
import { until } from '../support/until.ts';
import { panelQueries, rules } from './files.ts';
import { type Selected, selectedIn } from './promql.ts';

gatewaysEndWithTheirTest();

/** Made by Prometheus itself, for each target. */
const ofPrometheus = ['up'];
/** Labels that Prometheus adds to each series: docs/alerts.md. */
const addedLabels = ['job', 'instance', 'gateway'];

/** What rules and dashboard read: each metric with all labels that they use of it. */
function readMetrics(): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  const selected: Selected[] = [...rules, ...panelQueries].flatMap(({ expr }) => selectedIn(expr));
  for (const { metric, labels } of selected) all.set(metric, (all.get(metric) ?? new Set()).union(labels));
  return all;
}

test('every metric and label of the rules and the dashboard is in a scrape of api and worker', async () => {
  const roles = await migratedRoles({
    BACKUP_DIR: join(temporaryFolder('test'), 'backups'),
    // So that workflows make attempts, whose activities have metrics.
    API_DELIVERS: 'false',
  });
  const [api, worker] = await Promise.all([roles.startApi(), roles.startWorker()]);
  const [, port] = await worker.printed(/"port":(\d+),"msg":"metrics listening"/, 'stderr');
  const { account } = await accountForTest(api.admin);
  const sent = await fetch(`${api.baseUrl}/generic/${account.account_slug}`, { method: 'POST', body: '{"id":"one"}' });
  expect(sent.status).toBe(202);
  const { cert: certificate, key } = await (await newAuthority()).issue({ commonName: 'gateway.test' });
  await consumersOf(api, account.id).made('billing', { authentication: { type: 'mtls', certificate, key } });
  // A backup has a metric of its own, and its activities wait for a worker.
  await scheduled(api, 'backup');
  const { body } = await askMaintenance(api, 'POST', '/admin/backups/trigger');
  await until('the backup has ended', () => backupEnded(api, body.id).catch(() => null));

  const read = readMetrics();
  expect(read.size).toBeGreaterThan(25);
  await until(
    'all metrics are in a scrape',
    async () => {
      const answers = await Promise.all([api.baseUrl, `http://127.0.0.1:${port}`].map(scraped));
      const series = answers.flatMap((answer) => [...answer.values()].flatMap((metric) => [...metric.series.keys()]));
      const missing = [...read].flatMap(([metric, labels]) => {
        if (ofPrometheus.includes(metric)) return [];
        const ofMetric = series.filter((one) => one === metric || one.startsWith(`${metric}{`));
        if (ofMetric.length === 0) return [metric];
        const wanted = [...labels].filter((label) => !addedLabels.includes(label));
        return wanted
          .filter((label) => !ofMetric.some((one) => new RegExp(`[{,]${label}="`).test(one)))
          .map((label) => `${metric}{${label}}`);
      });
      expect(missing).toEqual([]);
      return true;
    },
    { retryErrors: true },
  );
});
