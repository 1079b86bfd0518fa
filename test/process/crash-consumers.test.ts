import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Random } from '../faults/random.ts';
import { send } from '../support/admin-client.ts';
import { type Consumer, consumerForTest } from '../support/consumer.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { type Api, migratedRoles, type Roles } from '../support/gateway-roles.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

// The events of a webhook for three consumers are stored together or not at all, wherever the process or its connection
// breaks.

const names = ['default', 'large', 'all'];

interface Posted {
  id: string;
  amount: number;
  /** The id from the 202; null: there was no answer, or another one. */
  accepted: string | null;
}

/** By the condition of `large`. */
const wanted = ({ amount }: Posted) => names.filter((name) => name !== 'large' || amount > 5).sort();

async function threeConsumers(api: Api, consumer: Consumer) {
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  for (const [name, condition] of [
    ['large', 'payload.amount > 5'],
    ['all', null],
  ]) {
    const created = await api.admin.post(`/admin/accounts/${account.id}/consumers`, {
      name,
      url: consumer.url,
      condition,
    });
    expect(created.status).toBe(201);
  }
  return account as { provider: string; account_slug: string };
}

/** Posts webhooks over several connections until `isOver`, and adds them to `all`. Their ids begin with `prefix`. */
async function post(
  api: Api,
  account: { provider: string; account_slug: string },
  prefix: string,
  { isOver, all }: { isOver: () => boolean; all: Posted[] },
): Promise<void> {
  const poster = async () => {
    while (!isOver()) {
      const webhook: Posted = { id: `${prefix}-${all.length}`, amount: all.length % 10, accepted: null };
      all.push(webhook);
      const body = JSON.stringify({ id: webhook.id, amount: webhook.amount, text: 'x'.repeat(500) });
      const answer = await send(api.baseUrl, account, body).catch(() => null);
      if (answer?.status === 202) webhook.accepted = answer.body.id;
      else {
        if (answer !== null) expect(answer.status).toBe(503);
        await sleep(20);
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, poster));
}

interface Stored {
  id: string;
  external_id: string;
  request_id: string;
  consumer: string;
  delivery_status: string;
  has_payload: boolean;
  queued: boolean;
}

const storedEvents = (roles: Roles) =>
  roles.query<Stored>(
    `select e.id, external_id, coalesce(request_id, e.id) as request_id, delivery_status, p.event_id is not null as has_payload,
       coalesce((select name from consumers c where c.id = e.consumer_id), 'default') as consumer,
       exists (select from event_queue q where q.event_id = e.id) as queued
     from events e left join event_payloads p on p.event_id = coalesce(request_id, e.id) order by e.id`,
  );

/** Each webhook has all of its events or none; an accepted one has all. */
function expectWhole(posted: readonly Posted[], rows: readonly Stored[]) {
  const byWebhook = Map.groupBy(rows, ({ external_id }) => external_id);
  for (const webhook of posted) {
    const events = byWebhook.get(webhook.id) ?? [];
    if (webhook.accepted === null && events.length === 0) continue;
    expect(events.map(({ consumer }) => consumer).sort(), JSON.stringify(webhook)).toEqual(wanted(webhook));
    const requests = new Set(events.map(({ request_id }) => request_id));
    expect(requests.size).toBe(1);
    if (webhook.accepted !== null) expect(requests).toEqual(new Set([webhook.accepted]));
    expect(events.filter((event) => !event.has_payload)).toEqual([]);
  }
}

/** Waits until all events are delivered, and checks that no consumer has missed one. */
async function expectDelivered(roles: Roles, posted: readonly Posted[], consumer: Consumer) {
  const rows = await until(
    'all events are delivered',
    async () => {
      const events = await storedEvents(roles);
      return events.every((event) => event.delivery_status === 'delivered') && events;
    },
    200_000,
  );
  expectWhole(posted, rows);
  const delivered = new Set(consumer.deliveries.map(({ headers }) => headers['webhook-id']));
  expect(rows.filter(({ id }) => !delivered.has(id))).toEqual([]);
  for (const { headers } of consumer.deliveries) {
    const row = rows.find(({ id }) => id === headers['webhook-id']);
    expect([headers['x-webhook-request-id'], headers['x-webhook-consumer']]).toEqual([row?.request_id, row?.consumer]);
  }
}

test('an api that is killed while it stores webhooks of three consumers leaves none in part', async () => {
  const roles = await migratedRoles({});
  const consumer = await consumerForTest();
  const posted: Posted[] = [];
  const setup = await roles.apiHere({ API_DELIVERS: 'false' });
  const account = await threeConsumers(setup, consumer);
  const random = new Random(1);
  // Killed at several moments, so that batches are in each state.
  for (let n = 0; n < 4; n++) {
    const api = await roles.startApi();
    let isOver = false;
    const those: Posted[] = [];
    const posting = post(api, account, `run-${n}`, { isOver: () => isOver, all: those });
    await until('a webhook is accepted', () => those.some(({ accepted }) => accepted !== null));
    await sleep(random.between(100, 500));
    api.signal('SIGKILL');
    expect(await api.exited).toEqual({ code: null, signal: 'SIGKILL' });
    isOver = true;
    await posting;
    posted.push(...those);
    // PostgreSQL may still commit a statement that it has received. The lock is granted after it.
    await roles.query('do $$ begin lock table events in share mode; end $$');
    expectWhole(those, await storedEvents(roles));
  }
  await Promise.all([roles.apiHere(), roles.workerHere()]);
  await expectDelivered(roles, posted, consumer);
});

test('connections that are cut while webhooks of three consumers are stored leave none in part', async () => {
  const roles = await migratedRoles({});
  const consumer = await consumerForTest();
  const [api] = await Promise.all([roles.startApi(), roles.workerHere()]);
  const account = await threeConsumers(api, consumer);
  const random = new Random(2);
  let isOver = false;
  const posted: Posted[] = [];
  const accepted = () => posted.filter((webhook) => webhook.accepted !== null).length;
  // All that is accepted must be delivered in time, however long the rounds take.
  const posting = post(api, account, 'cut', { isOver: () => isOver || posted.length >= 1_000, all: posted });
  let cut = 0;
  // More rounds when the api, or this process, has stood still for most of them.
  const isEnough = () => posted.length >= 1_000 || (cut > 5 && accepted() > 50);
  for (let n = 0; n < 60 || (n < 1_000 && !isEnough()); n++) {
    await sleep(random.between(5, 60));
    // Those that store a batch at this moment, and of the others one in ten rounds.
    const ended = await roles.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and (query like '%insert into event_payloads%' and state <> 'idle' or $1)`,
      [n % 10 === 9],
    );
    cut += ended.length;
  }
  isOver = true;
  await posting;
  expect(cut).toBeGreaterThan(5);
  expect(accepted()).toBeGreaterThan(50);
  await expectDelivered(roles, posted, consumer);
});
