import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetrics, createStateGauges } from '../../src/metrics/instruments.ts';
import { LastingCounters } from '../../src/metrics/lasting-counters.ts';
import { measureProcess } from '../../src/metrics/process-metrics.ts';
import { type Collect, type Family, Scrape } from '../../src/metrics/scrape.ts';
import { parsed, sumOf } from '../process/metrics/exposition.ts';

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
    ...{ lastBackupS: null, partitionsAheadDays: null },
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

test('counters of processes that have ended are kept, and gauges are not', async () => {
  const families = async (count: number): Promise<Family[]> => {
    const registers = [new Registry()];
    new Counter({ name: 'c_total', help: 'c', labelNames: ['l'], registers }).inc({ l: 'x' }, count);
    new Histogram({ name: 'h', help: 'h', buckets: [1], registers }).observe(count);
    new Gauge({ name: 'g', help: 'g', registers }).set(count);
    return (await registers[0]?.getMetricsAsJSON()) ?? [];
  };
  const lasting = new LastingCounters();
  const shown = async (present: Family[]) => {
    const answer = await textOf(async () => ({ families: [...present, ...lasting.before], sdk: '' }));
    return [sumOf([answer], 'c_total{l="x"}'), sumOf([answer], 'h_count'), answer.has('g')];
  };
  await lasting.seen(1, await families(5));
  await lasting.seen(1, await families(6));
  expect(await shown(lasting.last)).toEqual([6, 1, false]);
  const second = await families(2);
  await lasting.seen(2, second);
  expect(await shown(second)).toEqual([8, 2, true]);
  const third = await families(10);
  await lasting.seen(3, third);
  expect(await shown(third)).toEqual([18, 3, true]);
  expect(await shown(lasting.last)).toEqual([18, 3, false]);
});
