import { expect, test } from 'vitest';
import { gatewaysEndWithTheirTest } from '../../support/gateway-process.ts';
import { gatewayRoles } from '../../support/gateway-roles.ts';
import { ownPostgres, ownTemporal } from '../../support/own-servers.ts';
import { until } from '../../support/until.ts';
import { gaugeOf, metricsOf, scraped } from './exposition.ts';

gatewaysEndWithTheirTest();

const readFromDatabase = [
  ...['gateway_deliveries_pending', 'gateway_delivery_oldest_pending_seconds', 'gateway_deliveries_paused'],
  ...['gateway_workflow_starts_waiting', 'gateway_workflow_start_oldest_seconds', 'gateway_partitions_ahead_days'],
];

test('without its database or Temporal a worker still answers, has no old gauges, and is not ready', async () => {
  const [postgres, temporal] = await Promise.all([ownPostgres(), ownTemporal()]);
  const roles = gatewayRoles({ databaseUrl: postgres.address, temporalAddress: temporal.address });
  const place = await metricsOf(await roles.workerHere());
  const readiness = (wanted: [status: number, body: object]) =>
    until(
      `the worker answers ${JSON.stringify(wanted)}`,
      async () => {
        const response = await fetch(`${place}/health/ready`);
        expect([response.status, await response.json()]).toMatchObject(wanted);
        return true;
      },
      { retryErrors: true },
    );
  const gauges = async () => {
    const answer = await scraped(place);
    return {
      stored: readFromDatabase.filter((name) => gaugeOf(answer, name) !== null),
      database: gaugeOf(answer, 'gateway_database_available'),
      temporal: gaugeOf(answer, 'gateway_temporal_reachable'),
      counters: gaugeOf(answer, 'gateway_leases_lost_total'),
    };
  };
  const shown = (wanted: Awaited<ReturnType<typeof gauges>>) =>
    until(
      `the scrape shows ${JSON.stringify(wanted)}`,
      async () => {
        expect(await gauges()).toEqual(wanted);
        return true;
      },
      { retryErrors: true },
    );
  const whole = { stored: readFromDatabase, database: 1, temporal: 1, counters: 0 };
  await readiness([200, {}]);
  await shown(whole);

  await temporal.stop();
  await shown({ ...whole, temporal: 0 });
  await readiness([503, { code: 'engine_unavailable' }]);
  expect((await fetch(`${place}/health/live`)).status).toBe(200);

  await postgres.stop();
  await shown({ ...whole, stored: [], database: 0, temporal: 0 });
  await readiness([503, { code: 'database_unavailable' }]);

  await Promise.all([postgres.start(), temporal.start()]);
  await shown(whole);
  await readiness([200, {}]);
});
