import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { receivedEvent } from '../support/received.ts';
import { log } from '../support/runtime.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

const mib = 1024 * 1024;

/** The most memory that a process has had resident, in MiB (Linux only). */
const peakMiB = (pid: number) =>
  Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

/** A consumer that keeps no bodies. */
async function startConsumer() {
  const server = createServer((request, response) => {
    request.on('end', () => response.end()).resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** The least limit that both have: that of the compose file, and of an api in the chart. */
const limitMiB = 1_024;

/**
 * Stores events while nothing delivers, as after an outage of their consumer, then starts what delivers them: an `api`, or
 * a `worker` with their workflows. Returns the peak of its memory in MiB when all are delivered.
 */
async function peakOfDelivery(count: number, bytes: number, role: 'api' | 'worker'): Promise<number> {
  const roles = await migratedRoles({ MAX_PAYLOAD_BYTES: String(bytes) });
  const consumer = await startConsumer();
  const api = await roles.apiHere({ API_DELIVERS: 'false' });
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  const database = await openDatabase({ url: roles.databaseUrl, log });
  const receiver = new EventReceiver(database);
  const body = Buffer.alloc(bytes, 'x');
  for (let n = 0; n < count; n++)
    expect(await receiver.receive(receivedEvent(account, { body }))).toEqual({ kind: 'stored' });
  await database.close();
  const { pid } = await (role === 'api' ? roles.startApi() : roles.startWorker());
  await until(
    'all events are delivered',
    async () => {
      const [found] = await roles.query<{ left: number }>(
        `select count(*)::integer as left from events where delivery_status <> 'delivered'`,
      );
      return found?.left === 0;
    },
    { limitMs: 250_000 },
  );
  return peakMiB(pid);
}

test.each([
  [200, 1, 'worker'],
  [30, 25, 'worker'],
  [200, 1, 'api'],
  [30, 25, 'api'],
] as const)(
  '%d waiting events of %d MiB fit into the memory of the %s that delivers them',
  async (count, size, role) => {
    expect(await peakOfDelivery(count, size * mib, role)).toBeLessThan(limitMiB);
  },
);
