import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { type Answer, send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { allDelivered, claims, eventRows, gatewayRoles } from '../support/gateway-roles.ts';
import { ownPostgres } from '../support/own-servers.ts';
import { proxyTo } from '../support/proxy-to.ts';
import { until } from '../support/until.ts';
import { longAttempts } from './in-flight.ts';

/** Eight posters send fewer than 80 webhooks a second: all that the server accepts must be delivered in time. */
const posterRestMs = 100;
gatewaysEndWithTheirTest();

async function running(where: 'processes' | 'here', variables: Record<string, string> = {}) {
  const postgres = await ownPostgres();
  const roles = gatewayRoles({ databaseUrl: postgres.address, variables });
  const [api, worker] = await (where === 'here'
    ? Promise.all([roles.apiHere(), roles.workerHere()])
    : Promise.all([roles.startApi(), roles.startWorker()]));
  const { consumer, account } = await accountForTest(api.admin);
  return { postgres, roles, api, worker, consumer, account };
}

function expectDatabaseUnavailable(answer: Answer): void {
  expect([answer.status, answer.body.code]).toEqual([503, 'database_unavailable']);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

test('while PostgreSQL is unavailable webhooks get 503, and every acknowledged webhook is stored', async () => {
  const { postgres, roles, api, worker, consumer, account } = await running('processes');
  const answers: Answer[] = [];
  let posting = true;
  const poster = async (name: number) => {
    for (let n = 0; posting; n += 1) {
      answers.push(await send(api.baseUrl, account, JSON.stringify({ id: `${name}-${n}` })));
      await sleep(posterRestMs);
    }
  };
  const posters = Promise.all(Array.from({ length: 8 }, (_, name) => poster(name)));
  const acknowledged = () => answers.filter(({ status }) => status === 202).map(({ body }) => body.id as string);
  await until('webhooks are accepted', () => acknowledged().length > 50);

  await postgres.stop();
  await until('webhooks are refused', () => answers.at(-1)?.status === 503);
  expectDatabaseUnavailable(await send(api.baseUrl, account, '{"id":"during"}'));
  // An unknown account and a wrong secret get 503 too, because the database cannot be asked.
  expectDatabaseUnavailable(await send(api.baseUrl, { provider: 'generic', account_slug: 'not-known-yet' }, '{}'));
  expectDatabaseUnavailable(await api.admin.request('GET', '/admin/events'));
  expectDatabaseUnavailable(
    await api.admin.post('/admin/accounts', { provider: 'generic', app_key: 'tests', account_slug: 'new' }),
  );
  expectDatabaseUnavailable(await api.admin.request('GET', '/health/ready'));
  expect((await fetch(`${api.baseUrl}/health/live`)).status).toBe(200);
  const refused = () => answers.filter(({ status }) => status !== 202).length;
  const refusedBefore = refused();
  await until('further webhooks are refused', () => refused() > refusedBefore + 100);

  await postgres.start();
  const during = acknowledged().length;
  await until('webhooks are accepted again', () => acknowledged().length > during + 50);
  await until('the api is ready', async () => (await fetch(`${api.baseUrl}/health/ready`)).ok);
  posting = false;
  await posters;

  for (const answer of answers) if (answer.status !== 202) expectDatabaseUnavailable(answer);
  const stored = (await eventRows(roles)).map(({ id }) => id);
  const known = new Set(stored);
  expect(acknowledged().filter((id) => !known.has(id))).toEqual([]);
  await allDelivered(roles, stored.length, 200_000);
  const delivered = new Set(consumer.deliveries.map((d) => d.headers['webhook-id']));
  expect(stored.filter((id) => !delivered.has(id))).toEqual([]);
  // The same two processes did all of that.
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
});

/** Sends a webhook and calls `meanwhile` during its attempt. The consumer answers 200 after that. */
async function inFlight(gateway: Awaited<ReturnType<typeof running>>, meanwhile: () => Promise<void>) {
  const { api, account, consumer } = gateway;
  const { promise, resolve } = Promise.withResolvers<void>();
  consumer.replies = [(response) => void promise.then(() => response.writeHead(200).end('done'))];
  const { body } = await send(api.baseUrl, account, '{"id":"one"}');
  await until('the attempt is in flight', () => consumer.deliveries.length === 1);
  await meanwhile();
  resolve();
  return body.id as string;
}

async function expectOneAttempt(gateway: Awaited<ReturnType<typeof running>>, id: string): Promise<void> {
  const { roles, api, consumer, worker } = gateway;
  await allDelivered(roles, 1, 150_000);
  const event = await api.admin.event(id);
  expect(event.delivery_history).toMatchObject([
    { number: 1, trigger: 'schedule', outcome: 'delivered', response_code: 200, response_body: 'done' },
  ]);
  expect(event.attempts).toBe(1);
  expect(consumer.deliveries.map((d) => d.headers['webhook-id'])).toEqual([id]);
  expect(worker.isRunning()).toBe(true);
}

test.each(['api', 'worker'] as const)(
  'when PostgreSQL stops during an attempt of the %s, its outcome is recorded later without a second POST',
  async (maker) => {
    const gateway = await running('here', { API_DELIVERS: String(maker === 'api'), DELIVERY_TIMEOUT: '2m' });
    const { postgres } = gateway;
    const id = await inFlight(gateway, postgres.stop);
    await gateway[maker].printed(/attempt not recorded yet, retrying/, 'stderr');
    await postgres.start();
    await expectOneAttempt(gateway, id);
  },
);

test('when Temporal cancels an attempt of the worker while PostgreSQL is away, its outcome is recorded later without a second POST', async () => {
  const { proxy, address } = await proxyTo(`http://${inject('temporalAddress')}`);
  const variables = { API_DELIVERS: 'false', DELIVERY_TIMEOUT: '2m', TEMPORAL_ADDRESS: address };
  const gateway = await running('here', variables);
  const { postgres } = gateway;
  const id = await inFlight(gateway, async () => {
    await postgres.stop();
    proxy.begin({ kind: 'cut' });
  });
  // The SDK cancels an activity 13 s after its last heartbeat, as on a server that both share.
  await sleep(20_000);
  proxy.end();
  await postgres.start();
  await expectOneAttempt(gateway, id);
});

test('when PostgreSQL is unavailable for longer than a heartbeat counts, there is no second POST', async () => {
  const gateway = await running('here', { DELIVERY_TIMEOUT: '2m' });
  // It could claim the event, too.
  await gateway.roles.apiHere();
  const { postgres } = gateway;
  const id = await inFlight(gateway, postgres.stop);
  // A heartbeat counts for 4 s (src/processes/process-rows.ts).
  await sleep(6_000);
  await postgres.start();
  await expectOneAttempt(gateway, id);
});

test('when PostgreSQL is killed, the attempts of claims that could not begin are made once', async () => {
  const { postgres, roles, api, consumer, account } = await running('here', { DELIVERY_TIMEOUT: '2m' });
  const blocker = new pg.Client({ connectionString: postgres.address });
  blocker.on('error', () => undefined);
  await blocker.connect();
  // Ingestion and claims do not use this table. An attempt reads it first, and waits until PostgreSQL dies.
  await blocker.query('begin');
  await blocker.query('lock table delivery_attempts in access exclusive mode');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => send(api.baseUrl, account, JSON.stringify({ id: `event-${n}` }))),
  );
  const ids = answers.map(({ body }) => body.id as string).sort();
  await until('all are claimed', async () => (await claims(roles)).size === ids.length);
  await postgres.kill();
  await allDelivered(roles, ids.length);
  // No POST had begun, so there is no second one.
  expect(consumer.deliveries.map((d) => d.headers['webhook-id']).sort()).toEqual(ids);
  await blocker.end().catch(() => undefined);
});

test('when PostgreSQL is killed during the attempts of two apis, none is made twice', async () => {
  // The attempts are in flight for as long as the test lasts, also on a busy machine.
  const { postgres, roles, api, consumer, account } = await running('here', longAttempts);
  const apis = [api, await roles.apiHere()];
  let answering = false;
  const waiting: (() => void)[] = [];
  consumer.replies = [
    (response) => {
      if (answering) response.end();
      else waiting.push(() => response.end());
    },
  ];
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      send((apis[n % 2] ?? api).baseUrl, account, JSON.stringify({ id: `event-${n}` })),
    ),
  );
  const ids = answers.map(({ body }) => body.id as string).sort();
  await until('all attempts are in flight', () => consumer.deliveries.length === ids.length);
  const before = await claims(roles);
  await postgres.kill();
  // Each process has had its heartbeats for longer than the claims of those without one would have lasted.
  await until(
    'all are alive again',
    async () => {
      const [row] = await roles.query('select count(*)::integer as alive from processes where alive_until > now()');
      return row?.alive === 3;
    },
    { retryErrors: true },
  );
  await sleep(6_000);
  const now = await claims(roles);
  expect(ids.map((id) => now.get(id)?.claim_token)).toEqual(ids.map((id) => before.get(id)?.claim_token));
  answering = true;
  for (const answer of waiting) answer();
  await allDelivered(roles, ids.length);
  expect(consumer.deliveries.map((d) => d.headers['webhook-id']).sort()).toEqual(ids);
});

test('when PostgreSQL is killed repeatedly under load, no acknowledged webhook is lost or sent twice', async () => {
  const { postgres, roles, api, worker, consumer, account } = await running('here');
  const acknowledged: string[] = [];
  const others = new Set<number>();
  let posting = true;
  /** Between two deaths. All of them need a workflow, however long a restart takes. */
  let most = 0;
  const posters = Promise.all(
    Array.from({ length: 8 }, async (_, name) => {
      for (let n = 0; posting; n += 1) {
        await sleep(posterRestMs);
        if (acknowledged.length >= most) continue;
        const answer = await send(api.baseUrl, account, JSON.stringify({ id: `${name}-${n}` }));
        if (answer.status === 202) acknowledged.push(answer.body.id);
        else others.add(answer.status);
      }
    }),
  );
  const accepted = () => {
    const before = acknowledged.length;
    most = before + 200;
    return until('webhooks are accepted', () => acknowledged.length > before + 50);
  };
  for (let death = 0; death < 3; death += 1) {
    await accepted();
    await postgres.kill();
  }
  await accepted();
  posting = false;
  await posters;
  expect([...others]).toEqual([503]);
  const stored = (await eventRows(roles)).map(({ id }) => id);
  const known = new Set(stored);
  expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
  await allDelivered(roles, stored.length, 200_000);
  const delivered = new Set(consumer.deliveries.map((d) => d.headers['webhook-id']));
  expect(stored.filter((id) => !delivered.has(id))).toEqual([]);
  expect(consumer.deliveries).toHaveLength(stored.length);
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
});
