import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { allDelivered, gatewayRoles } from '../support/gateway-roles.ts';
import { ownPostgres } from '../support/own-servers.ts';
import { until } from '../support/until.ts';
import { gaugeOf, metricsOf, scraped } from './metrics/exposition.ts';

gatewaysEndWithTheirTest();

test('while PostgreSQL takes no writes, no process is ready, and each says so in its metrics', async () => {
  const postgres = await ownPostgres();
  const roles = gatewayRoles({ databaseUrl: postgres.address });
  const [api, worker] = await Promise.all([roles.apiHere(), roles.workerHere()]);
  const { account } = await accountForTest(api.admin);
  const places = [api.baseUrl, await metricsOf(worker)];
  const state = async () => {
    const ready = await Promise.all(places.map(async (place) => (await fetch(`${place}/health/ready`)).status));
    const answers = await Promise.all(places.map(scraped));
    return { ready, available: answers.map((answer) => gaugeOf(answer, 'gateway_database_available')) };
  };
  const becomes = (wanted: Awaited<ReturnType<typeof state>>) =>
    until(`the processes show ${JSON.stringify(wanted)}`, async () => isDeepStrictEqual(await state(), wanted));
  /** As a provider of managed databases does when the disk is full, and after that. */
  const readOnly = async (value: 'on' | 'off') => {
    await roles.query(`alter system set default_transaction_read_only = ${value}`);
    await roles.query('select pg_reload_conf()');
  };
  await becomes({ ready: [200, 200], available: [1, 1] });

  await readOnly('on');
  await becomes({ ready: [503, 503], available: [0, 0] });
  const answers = await Promise.all([
    send(api.baseUrl, account, '{"id":"during"}'),
    api.admin.request('GET', '/health/ready'),
    api.admin.request('GET', '/admin/health'),
  ]);
  for (const { status, body } of answers) expect([status, body.code]).toEqual([503, 'database_unavailable']);
  expect(answers[2].body.detail).toContain('the database takes no writes');
  expect((await fetch(`${api.baseUrl}/health/live`)).status).toBe(200);

  await readOnly('off');
  await becomes({ ready: [200, 200], available: [1, 1] });
  expect((await send(api.baseUrl, account, '{"id":"after"}')).status).toBe(202);
  await allDelivered(roles, 1);
});
