import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { type RunningDeliveries, startDeliveries } from '../../src/roles/start-deliveries.ts';
import { unmeasured } from '../../src/telemetry/metrics/metrics.ts';
import { type Consumer, startConsumer } from '../support/consumer.ts';
import { receivedEvent } from '../support/received.ts';
import { log } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

// Two processes of each kind on one database: both make first attempts, and both start workflows.

let consumer: Consumer;
let other: RunningDeliveries;
const gateway = useGateway({ eventWorkflows: 'always', delaysMs: [20] });
beforeAll(async () => {
  await gateway.startWorker();
  const { database, databaseUrl, keyring } = gateway;
  other = await startDeliveries({
    ...{ database, databaseUrl, keyring, metrics: unmeasured, log },
    delivery: {
      ...{ delaysMs: [20], timeLimitMs: 15_000, allowedNetworks: ['127.0.0.0/8'], proxy: null, droppedHeaders: [] },
      ...{ accountConcurrency: 64, eventWorkflows: 'always' },
      eventWorkflowsBacklog: { events: 10_000, ageMs: 300_000 },
    },
    ...{ burst: null, stopLimitMs: 30_000 },
  });
  consumer = await startConsumer((response, { headers }) => {
    const id = String(headers['webhook-id']);
    response.writeHead(failing.has(id) && headers['x-webhook-attempt'] === '1' ? 500 : 200).end();
  });
});
afterAll(async () => {
  await other.stop();
  await consumer.close();
});

/** Events whose first attempt fails. */
const failing = new Set<string>();
const timesOf = (id: string) => consumer.deliveries.filter(({ headers }) => headers['webhook-id'] === id).length;

test('each event is delivered once, and attempted a second time only if its first attempt failed', async () => {
  const accounts = await Promise.all([1, 2].map(() => gateway.admin.createAccount({ delivery_url: consumer.url })));
  const ids: string[] = [];
  // The api hands what it accepts to its own relay, the first receiver to the other relay, and what the second one stores
  // waits in the queue.
  const receivers = [() => other.handOver, () => null].map((of) => new EventReceiver(gateway.database, of));
  for (const account of accounts) {
    for (let n = 0; n < 5; n++) ids.push((await gateway.send(account, JSON.stringify({ id: n }))).body.id);
    for (const receiver of receivers) {
      const events = Array.from({ length: 5 }, () => receivedEvent(account));
      for (const { id } of events.slice(0, 2)) failing.add(id);
      ids.push(...events.map(({ id }) => id));
      await Promise.all(events.map((event) => receiver.receive(event)));
    }
  }
  const states = `select id, attempts, delivery_status, (select count(*)::integer from delivery_attempts where event_id = e.id) as recorded
    from events e where id = any($1)`;
  const settled = await until('all have left the queue and are delivered', async () => {
    const [queue] = await gateway.rows('select count(*)::integer as n from event_queue');
    const found = await gateway.rows(states, [ids]);
    return queue?.n === 0 && found.every(({ delivery_status }) => delivery_status === 'delivered') && found;
  });
  expect(settled).toHaveLength(30);
  for (const { id, attempts, recorded } of settled) {
    const times = failing.has(id) ? 2 : 1;
    expect({ id, attempts, recorded, times: timesOf(id) }).toEqual({ id, attempts: times, recorded: times, times });
  }
  expect(failing.size).toBe(8);
  expect(consumer.deliveries).toHaveLength(38);
});
