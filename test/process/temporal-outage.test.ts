import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest, consumerForTest } from '../support/consumer.ts';
import { migratedDatabase } from '../support/database.ts';
import { eventsOf, expectDeliveries } from '../support/deliveries-made.ts';
import { sharedServers, startWholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';
import { allDelivered, type EventRow, eventRows, gatewayRoles } from '../support/gateway-roles.ts';
import { type OwnServer, startOwnTemporal } from '../support/own-servers.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

gatewaysEndWithTheirTest();

let temporal: OwnServer;
beforeAll(async () => {
  temporal = await startOwnTemporal();
});
afterAll(() => temporal?.stop());
/** Each test stops Temporal, so it is started before the next one. */
beforeEach(() => temporal.start());

const failsAtFirst = (n: number) => n % 10 === 0;

test('200 events that come in without Temporal get their first attempts, and afterwards their workflows', async () => {
  const roles = gatewayRoles({
    databaseUrl: await migratedDatabase(),
    temporalAddress: temporal.address,
    variables: { DELIVERY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s,1s' },
  });
  const [api, worker] = await Promise.all([roles.startApi(), roles.startWorker()]);
  const consumer = await consumerForTest((response, { headers, body }) => {
    const isFirst = headers['x-webhook-attempt'] === '1';
    response.writeHead(isFirst && failsAtFirst(JSON.parse(body.toString()).n) ? 500 : 200).end();
  });
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  const before = await send(api.baseUrl, account, '{"id":"before","n":1}');
  await allDelivered(roles, 1);
  const { workflow } = await api.admin.eventually(before.body.id, (e) => e.workflow !== null);
  expect(workflow).toMatchObject({ id: `event-${before.body.id}` });

  await temporal.stop();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => send(api.baseUrl, account, JSON.stringify({ id: `event-${n}`, n }))),
  );
  expect(answers.filter(({ status }) => status !== 202)).toEqual([]);
  const ids = answers.map(({ body }) => body.id as string);
  const failing = ids.filter((_, n) => failsAtFirst(n)).sort();
  const during = await until('all have had their first attempt while Temporal is away', async () => {
    const rows = (await eventRows(roles)).filter(({ id }) => id !== before.body.id);
    return rows.length === 200 && rows.every(({ attempts }) => attempts === 1) && rows;
  });
  expect(during.filter((row) => row.delivery_status === 'pending').map(({ id }) => id)).toEqual(failing);
  expect(during.filter((row) => row.delivery_status === 'delivered')).toHaveLength(180);
  // No workflow could be started yet.
  expect(during.filter(hasWorkflow)).toEqual([]);
  // Events can be read, but without the link to Temporal.
  expect((await api.admin.event(ids[0] ?? '')).workflow).toBeNull();
  expect((await fetch(`${api.baseUrl}/health/ready`)).status).toBe(200);

  await temporal.start();
  const rows = await allDelivered(roles, 201, 200_000);
  expect(rows.map(({ id }) => id)).toEqual([before.body.id, ...ids].sort());
  expect(rows.filter(({ attempts }) => attempts === 2).map(({ id }) => id)).toEqual(failing);
  // Each event was sent once, and a second time if the first attempt failed.
  await expectDeliveries(eventsOf(consumer.deliveries), [before.body.id, ...ids, ...failing], [api, worker]);
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
  expect(worker.stdout()).toBe('');

  const connection = await forTest(Connection.connect({ address: temporal.address }));
  const client = new Client({ connection });
  const outcomes = await Promise.all(ids.map((id) => client.workflow.getHandle(`event-${id}`).result()));
  // The workflows of events that the api had delivered ended without an attempt.
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(
    ids.map((_, n) => (failsAtFirst(n) ? 'delivered' : 'already_settled')),
  );
});

const hasWorkflow = (row: EventRow) => row.started_generation === row.generation;

test('while a worker starts without Temporal, the api delivers, and the worker connects when Temporal is available', async () => {
  await temporal.stop();
  const roles = gatewayRoles({ databaseUrl: await migratedDatabase(), temporalAddress: temporal.address });
  const [api, worker] = await Promise.all([roles.apiHere(), roles.workerHere()]);
  await worker.printed(/"msg":"[^"]*Temporal/, 'stderr');
  const { consumer, account } = await accountForTest(api.admin);
  const { body } = await send(api.baseUrl, account, '{"id":"one"}');
  const delivered = await api.admin.eventually(body.id, (e) => e.delivery_status === 'delivered');
  expect(delivered.status).toBe('received');
  await temporal.start();
  await allDelivered(roles, 1);
  expect(consumer.deliveries).toHaveLength(1);
});

test('commands during an outage of Temporal reach the waiting workflow afterwards', async () => {
  const roles = gatewayRoles({
    databaseUrl: await migratedDatabase(),
    temporalAddress: temporal.address,
    variables: { DELIVERY_SCHEDULE: '1h,1h,1h,1h,1h,1h,1h,1h,1h' },
  });
  const [api] = await Promise.all([roles.startApi(), roles.startWorker()]);
  const { consumer, account } = await accountForTest(api.admin, 500);
  const [acked, retried, replayed] = await Promise.all(
    ['acked', 'retried', 'replayed'].map(async (id) => {
      const { body } = await send(api.baseUrl, account, JSON.stringify({ id }));
      await api.admin.eventually(body.id, (e) => e.status === 'enqueued' && e.attempts === 1);
      return body.id as string;
    }),
  );
  if (!acked || !retried || !replayed) throw new Error('there are three');
  await temporal.stop();
  consumer.replies = [200];
  const said = await Promise.all([
    api.admin.post(`/admin/events/${acked}/ack`),
    api.admin.post(`/admin/delivery/retry/${retried}`),
    api.admin.post(`/admin/events/${replayed}/replay`),
  ]);
  expect(said.map(({ status }) => status)).toEqual([200, 202, 202]);
  // A replay is a first attempt again, which does not need Temporal.
  const replay = await api.admin.eventually(replayed, (e) => e.delivery_status === 'delivered');
  expect([replay.generation, replay.status]).toEqual([1, 'received']);

  await temporal.start();
  await api.admin.eventually(retried, (e) => e.delivery_status === 'delivered');
  await api.admin.eventually(replayed, (e) => e.status === 'enqueued');
  const connection = await forTest(Connection.connect({ address: temporal.address }));
  const client = new Client({ connection });
  const outcomes = await Promise.all(
    [acked, retried, replayed].map((id) => client.workflow.getHandle(`event-${id}`).result()),
  );
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['acknowledged', 'delivered', 'already_settled']);
  expect(consumer.deliveries).toHaveLength(5);
});

test('role all with an unreachable TEMPORAL_ADDRESS starts, logs that, and delivers', async () => {
  await temporal.stop();
  const gateway = await startWholeGateway(temporaryFolder(), {
    ...(await sharedServers()),
    TEMPORAL_ADDRESS: temporal.address,
  });
  const [line] = await gateway.printed(/^.*"msg":"[^"]*Temporal.*$/m, 'stderr');
  expect(line).toContain(temporal.address);
  expect(line).toContain('Connection refused');
  const { consumer, account } = await accountForTest(gateway.admin);
  const { body } = await send(gateway.baseUrl, account, '{"id":"one"}');
  await gateway.admin.eventually(body.id, (e) => e.delivery_status === 'delivered');
  await temporal.start();
  await gateway.admin.eventually(body.id, (e) => e.status === 'enqueued' && e.workflow !== null);
  expect(consumer.deliveries).toHaveLength(1);
});
