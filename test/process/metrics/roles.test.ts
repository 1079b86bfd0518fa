import { expect, test } from 'vitest';
import { gatewaysEndWithTheirTest } from '../../support/gateway-process.ts';
import { migratedRoles } from '../../support/gateway-roles.ts';
import { until } from '../../support/until.ts';
import { countedLoad, loadSettings } from './counted-load.ts';
import { gaugeOf, metricsOf, scraped, sdkIsMeasured, sumOf } from './exposition.ts';

gatewaysEndWithTheirTest();

test('two apis and two workers: the scrapes add up to what sender and consumers counted', async () => {
  const roles = await migratedRoles(loadSettings);
  const [one, two, ...workers] = await Promise.all([
    roles.startApi(),
    roles.startApi(),
    roles.startWorker(),
    roles.startWorker(),
  ]);
  const places = [one.baseUrl, two.baseUrl, ...(await Promise.all(workers.map(metricsOf)))];
  const { expected, statuses } = await countedLoad([one, two], [one, two, ...workers]);
  expect(Object.fromEntries(statuses)).toEqual({ 202: 79, 401: 4, 403: 1, 404: 6, 413: 2 });
  // An answer is given out for a second.
  await until(
    'the scrapes show all',
    async () => {
      const answers = await Promise.all(places.map(scraped));
      const shown = [...expected.keys()].map((series) => [series, sumOf(answers, series)]);
      expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected));
      return true;
    },
    { retryErrors: true },
  );
  // Each process describes the whole gateway. A gauge is null or 0 where the database or Temporal answered too late, and
  // those of one process may be older than the rest.
  const answers = await until(
    'each process shows the state',
    async () => {
      const all = await Promise.all(places.map(scraped));
      for (const answer of all) {
        expect(gaugeOf(answer, 'gateway_deliveries_pending')).toBe(0);
        expect(gaugeOf(answer, 'gateway_delivery_oldest_pending_seconds')).toBe(0);
        expect(gaugeOf(answer, 'gateway_deliveries_paused')).toBe(0);
        expect(gaugeOf(answer, 'gateway_partitions_ahead_days')).toBeGreaterThanOrEqual(6);
        expect(gaugeOf(answer, 'gateway_database_available')).toBe(1);
        expect(gaugeOf(answer, 'gateway_backup_last_success_timestamp_seconds')).toBe(null);
        expect(gaugeOf(answer, 'gateway_backup_first_start_timestamp_seconds')).toBe(null);
      }
      expect(all.map((answer) => gaugeOf(answer, 'gateway_temporal_reachable'))).toEqual([null, null, 1, 1]);
      return all;
    },
    { retryErrors: true },
  );
  // Metrics of the SDK: in the processes that have it.
  const [oneApi, otherApi] = answers;
  for (const answer of [oneApi, otherApi]) expect(answer?.has('temporal_num_pollers')).toBe(false);
  for (const worker of places.slice(2)) await sdkIsMeasured(worker);
});

test('pending, paused and backlog are shown, and METRICS_PORT moves /metrics away from PORT', async () => {
  const roles = await migratedRoles({});
  const api = await roles.apiHere({ METRICS_PORT: '0' });
  const place = await metricsOf(api);
  const moved = await fetch(`${api.baseUrl}/metrics`);
  expect([moved.status, await moved.json()]).toMatchObject([404, { code: 'not_found' }]);
  for (const path of ['/health/live', '/health/ready'])
    expect(await (await fetch(`${place}${path}`)).json()).toEqual({ status: 'ok' });
  for (const path of ['/admin/accounts', '/', '/generic/x', '/metrics/x'])
    expect((await fetch(`${place}${path}`)).status).toBe(404);
  expect((await fetch(`${place}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405);
  expect((await fetch(`${place}/metrics`, { method: 'HEAD' })).status).toBe(200);

  const account = await api.admin.createAccount({ delivery_url: 'http://127.0.0.1:9/' });
  const since = Date.now();
  for (const n of [1, 2, 3])
    await fetch(`${api.baseUrl}/generic/${account.account_slug}`, { method: 'POST', body: JSON.stringify({ id: n }) });
  expect((await api.admin.post('/admin/delivery/pause', { reason: 'test' })).status).toBe(200);
  const answer = await until('three are pending', async () => {
    const one = await scraped(place);
    return gaugeOf(one, 'gateway_deliveries_pending') === 3 && gaugeOf(one, 'gateway_deliveries_paused') === 1
      ? one
      : null;
  });
  const oldest = gaugeOf(answer, 'gateway_delivery_oldest_pending_seconds') ?? -1;
  expect(oldest).toBeGreaterThan(0);
  expect(oldest).toBeLessThanOrEqual((Date.now() - since) / 1000);
});

test('a worker does not start on a port that is taken, and is ready once it polls', async () => {
  const roles = await migratedRoles({});
  const worker = await roles.workerHere();
  const place = await metricsOf(worker);
  expect((await fetch(`${place}/health/live`)).status).toBe(200);
  await until('the worker is ready', async () => (await fetch(`${place}/health/ready`)).status === 200);
  const second = await roles.workerHere({ METRICS_PORT: new URL(place).port }).catch((error: Error) => error);
  expect(String(second)).toContain(`Port ${new URL(place).port} on 127.0.0.1 is taken`);
  expect(String(second)).toContain('METRICS_PORT');
});
