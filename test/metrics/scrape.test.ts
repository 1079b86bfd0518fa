import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { serveMetrics } from '../../src/http/metrics-server.ts';
import { measureBoth } from '../../src/roles/compose-metrics.ts';
import { workerMetricsPort } from '../../src/roles/worker-metrics.ts';
import { createLog } from '../../src/shared/log.ts';
import { createMetrics, createStateGauges } from '../../src/telemetry/metrics/instruments.ts';
import { measureProcess } from '../../src/telemetry/metrics/process-metrics.ts';
import { type Collect, Scrape } from '../../src/telemetry/metrics/scrape.ts';
import { parsed, sumOf } from '../process/metrics/exposition.ts';
import { startConsumer } from '../support/consumer.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { rawRequest } from '../support/raw-http.ts';
import { forTest } from '../support/use.ts';

const labels = {
  providers: ['generic'],
  rejectionReasons: ['bad_signature'],
  outcomes: ['delivered'],
  channels: ['email'],
};

/** A process that has counted. */
function processOf(webhooks: number, pending: number | null, sdk = '') {
  const registry = new Registry();
  const metrics = createMetrics(registry, labels);
  const state = createStateGauges(registry);
  measureProcess(registry, { version: '1.2.3', pools: [{ totalCount: 5, idleCount: 2, waitingCount: 1 }] });
  for (let n = 0; n < webhooks; n++) metrics.webhookAnswered('generic', 'accepted', 3);
  state({
    ...{ databaseAvailable: null, temporalReachable: null, pending, oldestPendingS: null },
    ...{ workflowStartsWaiting: null, workflowStartOldestS: null, paused: null },
    ...{
      lastBackupS: null,
      firstBackupS: null,
      partitionsAheadDays: null,
      feedLagS: null,
      certificateEndS: null,
      workersAlive: null,
      apisDelivering: null,
    },
  });
  let collections = 0;
  const collect: Collect = async () => {
    collections += 1;
    return { families: await registry.getMetricsAsJSON(), sdk };
  };
  return { metrics, collect, collections: () => collections };
}

const textOf = async (...collects: Collect[]) => parsed(new TextDecoder().decode(await new Scrape(collects).text()));

test('two processes are one answer: sums, the largest of what is no sum, and each metric once', async () => {
  const sdk = '# HELP temporal_x X\n# TYPE temporal_x counter\ntemporal_x{a="b"} 7';
  const [one, two] = [processOf(3, 12), processOf(4, null, sdk)];
  const answer = await textOf(one.collect, two.collect);
  const value = (series: string) => sumOf([answer], series);
  expect(value('gateway_webhooks_received_total{provider="generic",result="accepted"}')).toBe(7);
  expect(value('gateway_ingest_duration_seconds_count')).toBe(7);
  expect(value('gateway_ingest_duration_seconds_bucket{le="0.002"}')).toBe(0);
  expect(value('gateway_ingest_duration_seconds_bucket{le="0.005"}')).toBe(7);
  expect(value('gateway_deliveries_pending')).toBe(12);
  expect(value('gateway_build_info{version="1.2.3"}')).toBe(1);
  expect(value('gateway_database_connections{state="active"}')).toBe(6);
  expect(value('temporal_x{a="b"}')).toBe(7);
  expect(value('process_start_time_seconds')).toBeLessThanOrEqual(Date.now() / 1000);
  // A gauge without a value has a description and no series.
  expect(answer.get('gateway_deliveries_paused')?.series.size).toBe(0);
});

test('unknown providers and outcomes are no labels', async () => {
  const one = processOf(0, null);
  for (const name of ['x', 'y', '__proto__', 'a"b\n']) {
    one.metrics.webhookAnswered(name, 'refused', 1);
    one.metrics.attemptMade(name, null);
  }
  const answer = await textOf(one.collect);
  expect(sumOf([answer], 'gateway_webhooks_received_total{provider="unknown",result="refused"}')).toBe(4);
  expect(sumOf([answer], 'gateway_delivery_attempts_total{outcome="other"}')).toBe(4);
  expect(answer.get('gateway_webhooks_received_total')?.series.size).toBe(8);
});

test('many scrapes at once and one after another are rendered once', async () => {
  const one = processOf(1, 0);
  const scrape = new Scrape([one.collect]);
  const texts = await Promise.all(Array.from({ length: 50 }, () => scrape.text()));
  expect(new Set([...texts, await scrape.text()]).size).toBe(1);
  expect(one.collections()).toBe(1);
});

test('a failed rendering is not kept', async () => {
  const one = processOf(1, 0);
  let fails = true;
  const scrape = new Scrape([() => (fails ? Promise.reject(new Error('no')) : one.collect())]);
  await expect(scrape.text()).rejects.toThrow('no');
  fails = false;
  expect((await scrape.text()).length).toBeGreaterThan(1_000);
});

test('the api and the worker of npm start have series of their own, and those of a worker that is away are missing', async () => {
  const dataDir = folderForTest();
  const sdk = '# HELP temporal_x X\n# TYPE temporal_x counter\ntemporal_x 7';
  const [api, worker] = [processOf(3, 12), processOf(0, 12, sdk)];
  worker.metrics.attemptMade('delivered', 5);
  const log = createLog('silent');
  const shown = () => textOf(...measureBoth(api.collect, dataDir, log));
  const away = await shown();
  expect(sumOf([away], 'gateway_worker_process_up')).toBe(0);
  expect(away.has('temporal_x')).toBe(false);

  const server = await forTest(
    serveMetrics(
      { scrape: () => new Scrape([worker.collect]).text(), collected: worker.collect, ready: async () => undefined },
      { host: '127.0.0.1', port: 0, log },
    ),
  );
  workerMetricsPort.write(dataDir, server.port, log);
  const both = await shown();
  expect(sumOf([both], 'gateway_worker_process_up')).toBe(1);
  expect(sumOf([both], 'temporal_x')).toBe(7);
  const made = 'gateway_delivery_attempts_total{outcome="delivered",role=';
  const received = 'gateway_webhooks_received_total{provider="generic",result="accepted",role=';
  expect(['"api"}', '"worker"}'].map((role) => sumOf([both], made + role))).toEqual([0, 1]);
  expect(['"api"}', '"worker"}'].map((role) => sumOf([both], received + role))).toEqual([3, 0]);
  // As before: what the api tells does not depend on the worker.
  const ofWorker = [...both.values()]
    .flatMap(({ series }) => [...series.keys()])
    .filter((key) => key.includes('role="worker"'));
  expect(ofWorker.length).toBeGreaterThan(10);
  const left = new Set([...away.values()].flatMap(({ series }) => [...series.keys()]));
  expect(ofWorker.filter((key) => left.has(key))).toEqual([]);
  expect(sumOf([away], `${received}"api"}`)).toBe(3);
});

test.each([
  [404, '{"status":404}'],
  [200, '{}'],
  [200, 'null'],
  [200, 'hello'],
])('the worker of npm start is away when another program answers %i with %s at its port', async (status, body) => {
  const dataDir = folderForTest();
  const other = await forTest(startConsumer((response) => response.writeHead(status).end(body)));
  const log = createLog('silent');
  workerMetricsPort.write(dataDir, other.port, log);
  const answer = await textOf(...measureBoth(processOf(3, 12).collect, dataDir, log));
  expect(sumOf([answer], 'gateway_worker_process_up')).toBe(0);
  expect(other.deliveries).toHaveLength(1);
});

test.each(['', '127.0.0.1:99999', 'a%zz'])('a scrape with the host "%s" is answered', async (host) => {
  const { collect } = processOf(3, 12);
  const observed = { scrape: () => new Scrape([collect]).text(), ready: async () => undefined };
  const server = await forTest(serveMetrics(observed, { host: '127.0.0.1', port: 0, log: createLog('silent') }));
  const address = `http://127.0.0.1:${server.port}`;
  const answer = await rawRequest(address, { method: 'GET', path: '/metrics?all', headers: { host } });
  expect(answer.status).toBe(200);
  expect(parsed(answer.text).has('gateway_webhooks_received_total')).toBe(true);
  expect((await rawRequest(address, { method: 'GET', path: '/else', headers: { host } })).status).toBe(404);
});
