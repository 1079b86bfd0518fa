import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { consumerForTest, type Reply } from '../support/consumer.ts';
import { gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';
import { allDelivered, migratedRoles } from '../support/gateway-roles.ts';
import { askToWait } from '../support/replies.ts';
import { addDestination } from '../support/services/notified-events.ts';
import { connectTo } from '../support/temporal-connection.ts';
import { until } from '../support/until.ts';
import { longAttempts } from './in-flight.ts';

gatewaysEndWithTheirTest();

const hourS = 3_600;
/** By which a time may differ: more than a busy machine needs, and far less than the clocks are wrong. */
const tenMinutesMs = 600_000;
const clock = new URL('../faults/clock.ts', import.meta.url).href;

/**
 * An api that delivers and a worker, whose clocks can be set: see `test/faults/clock.ts`. Another api, whose clock is right,
 * accepts webhooks.
 */
async function withClock(aheadS: number, variables: Record<string, string>) {
  const roles = await migratedRoles(variables);
  const file = join(temporaryFolder(), 'clock');
  writeFileSync(file, String(aheadS));
  const settings = { NODE_OPTIONS: `--import ${clock}`, FAULTS_CLOCK: file };
  const [api, ...shifted] = await Promise.all([
    roles.apiHere({ API_DELIVERS: 'false' }),
    roles.startApi(settings),
    roles.startWorker(settings),
  ]);
  return {
    ...{ roles, api },
    async setClock(ahead: number) {
      writeFileSync(file, String(ahead));
      for (const role of shifted) role.signal('SIGUSR2');
      // The processes handle the signal within moments.
      await sleep(200);
    },
    async account(...replies: Reply[]) {
      const consumer = await consumerForTest(...replies);
      return { consumer, account: await api.admin.createAccount({ delivery_url: consumer.url }) };
    },
  };
}

test('when the clock of an api jumps back by an hour, it continues to make attempts, and stops when asked', async () => {
  const { roles, api, setClock, account } = await withClock(0, longAttempts);
  const waiting: (() => void)[] = [];
  const crowd = await account((response) => waiting.push(() => response.end()));
  const other = await account(200);
  // So many attempts in flight that the api pauses between its claims.
  for (let n = 0; n < 20; n++) await send(api.baseUrl, crowd.account, JSON.stringify({ id: `crowd-${n}` }));
  await until('the attempts are in flight', () => crowd.consumer.deliveries.length === 20);
  await setClock(-hourS);
  await send(api.baseUrl, other.account, '{"id":"one"}');
  await until('an attempt is made', () => other.consumer.deliveries.length === 1);
  for (const answer of waiting) answer();
  await allDelivered(roles, 21);
});

test.each([hourS, -hourS])(
  'the clocks of api and worker are wrong by %i s: attempts have the right times, and retries are made when they are due',
  async (aheadS) => {
    const variables = { DELIVERY_SCHEDULE: '15s,1s,1s,1s,1s,1s,1s,1s,1s' };
    const { roles, api, account } = await withClock(aheadS, variables);
    const one = await account(500, 200);
    const { body } = await send(api.baseUrl, one.account, '{"id":"one"}');
    const failed = await api.admin.eventually(body.id, (event) => event.attempts === 1);
    expect(Math.abs(Date.parse(failed.next_attempt_at) - Date.now())).toBeLessThan(tenMinutesMs);
    await allDelivered(roles, 1);
    const event = await api.admin.event(body.id);
    for (const { started_at } of event.delivery_history)
      expect(Math.abs(Date.parse(started_at) - Date.now())).toBeLessThan(tenMinutesMs);
    // Consumers refuse messages whose time is far from their own.
    for (const { headers } of one.consumer.deliveries)
      expect(Math.abs(Number(headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(tenMinutesMs);
  },
);

test.each([hourS, -hourS])(
  'the clocks of api and worker are wrong by %i s: a date in Retry-After is waited for, by attempts and by notifications',
  async (aheadS) => {
    const variables = { DELIVERY_SCHEDULE: Array(9).fill('10ms').join() };
    const { roles, api, account } = await withClock(aheadS, variables);
    const date = new Date(Date.now() + 3 * tenMinutesMs);
    const busy: Reply = (response) => response.writeHead(503, { 'retry-after': date.toUTCString() }).end();
    const isDate = (text: string) => Math.abs(Date.parse(text) - date.getTime()) < tenMinutesMs;

    const waiting = await account(busy);
    const { body } = await send(api.baseUrl, waiting.account, '{"id":"one"}');
    const event = await api.admin.eventually(body.id, (e) => e.attempts > 0);
    expect(event.next_attempt_at).toSatisfy(isDate);

    const failing = await account(500);
    const service = await consumerForTest(busy);
    await addDestination(api.admin, failing.account.id, {
      name: 'on call',
      destination_type: 'webhook',
      config: { url: service.url },
    });
    await send(api.baseUrl, failing.account, '{"id":"two"}');
    const notification = await until('the try is recorded', async () => {
      const [row] = await roles.query<{ due_at: Date }>('select due_at from notifications where error is not null');
      return row;
    });
    expect(notification.due_at.toISOString()).toSatisfy(isDate);
    expect(Math.abs(Number(service.deliveries[0]?.headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(
      tenMinutesMs,
    );
  },
);

test('a worker whose clock is an hour ahead sees that a delivery was cancelled in Temporal', async () => {
  const { roles, api, account } = await withClock(hourS, {});
  const { account: cautious } = await account(askToWait(503, 1_000));
  const { body } = await send(api.baseUrl, cautious, '{"id":"one"}');
  await api.admin.eventually(body.id, (event) => event.attempts === 1 && event.status === 'enqueued');
  const connection = await connectTo(roles.variables.TEMPORAL_ADDRESS ?? '');
  await new Client({ connection }).workflow.getHandle(`event-${body.id}`).cancel();
  await connection.close();
  await api.admin.eventually(body.id, (event) => event.status === 'dead');
});
