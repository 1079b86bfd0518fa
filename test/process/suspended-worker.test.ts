import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest, consumerForTest } from '../support/consumer.ts';
import { eventsOf, expectDeliveries } from '../support/deliveries-made.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { allDelivered, attempts, migratedRoles } from '../support/gateway-roles.ts';
import { withClient } from '../support/one-connection.ts';
import { proxyTo } from '../support/proxy-to.ts';
import { until } from '../support/until.ts';
import { inFlight, longAttempts } from './in-flight.ts';

gatewaysEndWithTheirTest();

test('an api that is suspended loses its claims, and records nothing over the attempts of another one', async () => {
  const roles = await migratedRoles(longAttempts);
  const suspended = await roles.startApi();
  const { consumer, answer, ids } = await inFlight([suspended], 5);
  suspended.signal('SIGSTOP');
  const others = await Promise.all([roles.apiHere(), roles.workerHere()]);
  await allDelivered(roles, ids.length);
  const made = await attempts(roles);
  expect(made.map(({ event_id }) => event_id)).toEqual(ids);
  answer();
  suspended.signal('SIGCONT');
  await suspended.printed(/"lateMs":\d+,"msg":"heartbeat late/, 'stderr');
  expect(await suspended.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(await attempts(roles)).toEqual(made);
  // Their logs tell why the consumer got each event twice.
  const again = await expectDeliveries(eventsOf(consumer.deliveries), ids, [suspended, ...others]);
  expect(again.sort()).toEqual(ids);
});

test('an answer that arrived while an api was stopped counts, also after the time limit', async () => {
  const roles = await migratedRoles({ DELIVERY_TIMEOUT: '10s' });
  const [api, suspended] = await Promise.all([roles.apiHere({ API_DELIVERS: 'false' }), roles.startApi()]);
  const answered = Promise.withResolvers<void>();
  const consumer = await consumerForTest((response) => {
    suspended.signal('SIGSTOP');
    response.writeHead(200).end('seen', answered.resolve);
  }, 200);
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  const { body } = await send(api.baseUrl, account, '{"id":"one"}');
  await answered.promise;
  // As long as the time limit, which began earlier.
  await sleep(10_000);
  suspended.signal('SIGCONT');
  await api.admin.eventually(body.id, (e) => e.delivery_status === 'delivered');
  // Until now there is no other process that ends the claims of one without a heartbeat.
  const isAlive = 'select from processes where pid = $1 and alive_until > now()';
  await until('it is alive again', async () => (await roles.query(isAlive, [suspended.pid])).length === 1);
  await roles.workerHere();
  await allDelivered(roles, 1);
  const event = await api.admin.event(body.id);
  expect(event.delivery_history).toMatchObject([{ number: 1, outcome: 'delivered', response_body: 'seen' }]);
  expect(consumer.deliveries).toHaveLength(1);
});

/** Runs `work` while the payloads of events can be neither read nor stored. */
const whilePayloadsAreLocked = (databaseUrl: string, work: () => Promise<void>): Promise<void> =>
  withClient(databaseUrl, async (blocker) => {
    await blocker.query('begin');
    await blocker.query('lock table event_payloads in access exclusive mode');
    await work();
  });

// Found by the fault suite with seed 1001.
test('a worker that was suspended makes no attempt that Temporal has given to another worker', async () => {
  const roles = await migratedRoles({ DELIVERY_SCHEDULE: '40s,1s,1s,1s,1s,1s,1s,1s,1s' });
  const toTemporal = await proxyTo(`http://${inject('temporalAddress')}`);
  const [api, suspended] = await Promise.all([
    roles.apiHere(),
    roles.startWorker({ TEMPORAL_ADDRESS: toTemporal.address }),
  ]);
  const { consumer, account } = await accountForTest(api.admin, 500, 200);
  const { body } = await send(api.baseUrl, account, '{"id":"one"}');
  await api.admin.eventually(body.id, (event) => event.attempts === 1);
  const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await whilePayloadsAreLocked(roles.databaseUrl, async () => {
    await until('the second attempt is read', async () => (await roles.query(waits)).length === 1, 200_000);
    suspended.signal('SIGSTOP');
  });
  // The suspended worker has received the event, but has not noticed it yet. Temporal must not wait for its answers.
  toTemporal.proxy.cut();
  await roles.workerHere();
  await until('another worker makes the attempt', () => consumer.deliveries.length === 2);
  suspended.signal('SIGCONT');
  // It completes what is in flight.
  expect(await suspended.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  await allDelivered(roles, 1);
  expect(consumer.deliveries.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2']);
});
