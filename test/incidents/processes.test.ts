import { expect, test } from 'vitest';
import { scraped } from '../process/metrics/exposition.ts';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { type Api, gatewayRoles, migratedRoles } from '../support/gateway-roles.ts';
import { startOwnTemporal } from '../support/own-servers.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { answer, incidentsOf } from './support.ts';

gatewaysEndWithTheirTest();

/** An incident opens and resolves after minutes, with the times of the rules as they are. */
const limitMs = 600_000;

const openOf = async (api: Api, accountId: string) => incidentsOf(api).list(`?account_id=${accountId}&state=open`);

test('two apis and a worker agree on one incident; a killed one loses at most the last seconds', {
  timeout: limitMs,
}, async () => {
  const roles = await migratedRoles({ DELIVERY_SCHEDULE: '1h,1h,1h,1h,1h,1h,1h,1h,1h' });
  const [first, second] = await Promise.all([roles.startApi(), roles.startApi(), roles.startWorker()]);
  const { account, consumer } = await accountForTest(first.admin, answer(500, 'broken'));
  let n = 0;
  const fail = async (api: Api, count: number) => {
    for (const end = n + count; n < end; n++)
      await send(api.baseUrl, account, JSON.stringify({ id: `p-${n}`, type: 'x' }));
    await until('they were delivered', () => consumer.deliveries.length >= n);
  };
  await fail(first, 5);
  await until('an incident is open', async () => (await openOf(second, account.id)).length === 1);
  await fail(first, 6);
  await fail(second, 6);
  const [counted] = await until('both have added their failures', async () => {
    const open = await openOf(second, account.id);
    return open[0]?.attempts >= 17 && open[0].waiting === n && open;
  });
  expect(counted).toMatchObject({ cause: '500 broken', waiting: n });
  await fail(first, 3);
  first.signal('SIGKILL');
  await first.exited;
  await fail(second, 3);
  const after = await until('the other one goes on', async () => {
    const open = await openOf(second, account.id);
    return open[0]?.attempts >= counted.attempts + 3 && open[0].waiting === n && open;
  });
  expect(after).toMatchObject([{ id: counted.id, waiting: n }]);
  consumer.replies = [200];
  await send(second.baseUrl, account, '{"id":"good-1","type":"x"}');
  await send(second.baseUrl, account, '{"id":"good-2","type":"x"}');
  await until('it resolves by itself', async () => (await openOf(second, account.id)).length === 0, 200_000);
  const [resolved, ...others] = await incidentsOf(second).list(`?account_id=${account.id}&state=unfinished`);
  expect(others).toEqual([]);
  expect(resolved).toMatchObject({ id: counted.id, state: 'resolved', resolved_by: null, waiting: n });
  expect(Date.parse(resolved.resolved_at) - Date.parse(resolved.last_seen_at)).toBeGreaterThan(59_000);
});

test('Temporal that is stopped is an incident of the gateway, which the metric counts, and resolves', {
  timeout: limitMs,
}, async () => {
  const temporal = await forTest(startOwnTemporal());
  const roles = gatewayRoles({ databaseUrl: await migratedDatabase(), temporalAddress: temporal.address });
  const [api] = await Promise.all([roles.startApi(), roles.startWorker()]);
  const openCount = async () =>
    (await scraped(api.baseUrl)).get('gateway_incidents_open')?.series.get('gateway_incidents_open{kind="gateway"}');
  await until('the metric is there', async () => (await openCount()) === 0);
  await temporal.stop();
  const [incident] = await until(
    'an incident is open',
    async () => {
      const open = await incidentsOf(api).list('?kind=gateway&state=open');
      // On a busy machine, the database may be slow, too.
      const found = open.filter(({ cause }) => cause === 'Temporal does not answer');
      return found.length > 0 && found;
    },
    200_000,
  );
  expect(incident).toMatchObject({
    ...{
      cause: 'Temporal does not answer',
      account_id: null,
      consumer: null,
      waiting: null,
      exhausted: null,
      attempts: 0,
    },
  });
  await until('the metric counts it', async () => Number(await openCount()) >= 1);
  await temporal.start();
  await until(
    'it resolves',
    async () => {
      const { body } = await incidentsOf(api).read(incident.id);
      return body.state === 'resolved' && body.resolved_by === null;
    },
    180_000,
  );
});
