import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSender } from '../../src/delivery/send.ts';
import { sweepOverdue } from '../../src/maintenance/sweep.ts';
import { composeNotifications } from '../../src/roles/compose-notifications.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { createLog } from '../../src/shared/log.ts';
import { unmeasured } from '../../src/telemetry/metrics/metrics.ts';
import { fillEvents } from '../events/fill-events.ts';
import { consumerForTest } from '../support/consumer.ts';
import { defaultTimeLimitMs } from '../support/gateway.ts';
import { pauseDeliveries, resumeDeliveries } from '../support/paused.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';

const hourMs = 3_600_000;
const overdueS = 120;
const noneStuck = { stuck_ended: 0, stuck_left: 0 };

let sender: ReturnType<typeof createSender>;
const gateway = useGatewayPerTest({ worker: false });
beforeEach(async () => {
  sender = createSender({ allowedNetworks: ['127.0.0.0/8'] });
});
afterEach(() => sender.close());

const never = new AbortController().signal;

/** The sweep as a worker runs it, and its results with their log levels. */
function openSweep(notifierLog = createLog('silent')) {
  const { database } = gateway;
  const lines: { level: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const { notifier } = composeNotifications({
    ...{ database, sender, overdueS, timeLimitMs: defaultTimeLimitMs, metrics: unmeasured, log: notifierLog },
    ...{ box: createSecretBox(gateway.keyring), placeOf: ({ id }) => id },
    notifications: {
      mail: { from: 'x@y.example', sendgrid: null, outboxDir: null },
      baseUrl: () => 'http://x',
      burst: null,
    },
  });
  return async (signal = never) => {
    const counts = await sweepOverdue(
      {
        ...{ sql: database, notifier, overdueS, log, metrics: unmeasured },
        ...{ recordingEnds: never, stuckWorkflows: () => null },
      },
      signal,
    );
    return { ...counts, levels: lines.splice(0).map(({ level }) => level) };
  };
}

/** Creates events whose second attempt was due an hour ago. */
async function overdue(many: number): Promise<string[]> {
  const account = await gateway.admin.createAccount({});
  return fillEvents(
    gateway.database,
    Array.from({ length: many }, () => ({
      ...{ receivedAt: new Date(Date.now() - 2 * hourMs), accountId: account.id, provider: 'generic' },
      ...{ accountSlug: account.account_slug, appKey: 'app', eventType: null, externalId: 'x' },
      ...{ status: 'enqueued' as const, deliveryStatus: 'pending' as const, attempts: 1, deliveredAt: null },
      nextAttemptAt: new Date(Date.now() - hourMs),
    })),
  );
}

const queued = async () => (await gateway.rows('select event_id from event_queue')).length;
const warn = 40;

test('an event that is already queued does not end the sweep', async () => {
  const sweep = openSweep();
  const [first] = await overdue(1);
  await gateway.database.pool.query(
    `insert into event_queue (event_id, account_id, generation, lane) select id, account_id, 0, 1 from events where id = $1`,
    [first],
  );
  await gateway.database.pool.query(`update events set next_attempt_at = next_attempt_at - interval '1 hour'`);
  await overdue(600);
  expect(await sweep()).toEqual({ events: 600, notifications: 0, ...noneStuck, levels: [warn] });
  expect(await queued()).toBe(601);
});

test('during a pause overdue events are requeued, and no notification is sent', async () => {
  const sweep = openSweep();
  await overdue(2_100);
  const [event] = await overdue(1);
  await gateway.database.pool.query(
    `insert into notifications (event_id, generation, destination_id, account_id, destination_type, name, config, ordinal, failed_at,
       event_attempts, status, due_at) values ($1, 0, $1, $1, 'webhook', 'x', '', 0, now(), 10, 'pending', now() - interval '1 hour')`,
    [event],
  );
  await pauseDeliveries(gateway.admin);
  expect(await sweep()).toEqual({ events: 2_101, notifications: 0, ...noneStuck, levels: [warn] });
  expect(await queued()).toBe(2_101);
  await resumeDeliveries(gateway.admin);
  expect(await sweep()).toEqual({ events: 0, notifications: 1, ...noneStuck, levels: [warn] });
});

test('when Temporal cancels the sweep while an outcome cannot be recorded, it is recorded later', async () => {
  const notRecorded = Promise.withResolvers<void>();
  const log = pino({}, { write: (line) => line.includes('not recorded yet') && notRecorded.resolve() });
  const sweep = openSweep(log);
  const cancelled = new AbortController();
  const rename = (from: string, to: string) =>
    gateway.rows(`alter table notifications rename column ${from} to ${to}`, []);
  const destination = await consumerForTest(async (response) => {
    await rename('sent_at', 'renamed');
    response.end();
  });
  const [event] = await overdue(1);
  const [{ account_id } = {}] = await gateway.rows('select account_id from events');
  const hook = { destination_type: 'webhook', name: 'Hook', config: { url: destination.url } };
  expect((await gateway.admin.post(`/admin/accounts/${account_id}/destinations`, hook)).status).toBe(201);
  await gateway.rows(
    `insert into notifications (event_id, generation, destination_id, account_id, destination_type, name, config, ordinal, failed_at,
       event_attempts, status, due_at)
     select $1, 0, id, account_id, destination_type, name, config, 0, now(), 10, 'pending', now() - interval '1 hour' from destinations`,
    [event],
  );
  const swept = sweep(cancelled.signal);
  await notRecorded.promise;
  cancelled.abort();
  await rename('renamed', 'sent_at');
  expect(await swept).toMatchObject({ notifications: 1 });
  expect(await gateway.rows('select status, attempts from notifications')).toEqual([{ status: 'sent', attempts: 1 }]);
  expect(destination.deliveries).toHaveLength(1);
});
