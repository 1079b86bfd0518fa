import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditTrail } from '../support/audit-trail.ts';
import { consumerForTest } from '../support/consumer.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { proxyTo } from '../support/proxy-to.ts';
import { until } from '../support/until.ts';
import { idsAt, spawnListen, startListen, webhooksOf } from './listen-session.ts';
import { gatewayEnv, runCli } from './support.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ worker: false, droppedHeaders: ['x-user*'] });
});
afterAll(() => gateway.stop());

const { envOf, stateEnv, accountOf, send } = webhooksOf(() => gateway);

test('listen forwards the stored headers and bytes, signed with the secret that it prints', async () => {
  const account = await accountOf();
  const consumer = await consumerForTest();
  const session = startListen(['--account', account, '--forward', consumer.url, '--print-secret'], envOf());
  await session.ready();
  const [id = ''] = await send(account, 1);
  await until('the event is forwarded', () => session.stdout().includes('200'));
  const [delivery] = consumer.deliveries;
  expect(delivery?.body.toString()).toBe(`{ "id": "${id}",  "type": "order.created" }`);
  expect(delivery?.headers).toMatchObject({
    ...{ 'content-type': 'application/json', 'x-custom': 'kept', 'x-webhook-external-id': id },
    ...{ 'x-webhook-attempt': '1', 'x-webhook-replay': 'false', 'x-webhook-consumer': 'default' },
  });
  for (const name of ['x-forwarded-for', 'x-user-id']) expect(delivery?.headers).not.toHaveProperty(name);
  const [, secret = ''] = /Signing secret of this session: (\S+)/.exec(session.stderr()) ?? [];
  const headers = delivery?.headers as Record<string, string>;
  expect(new Webhook(secret).verify(delivery?.body ?? '', headers)).toMatchObject({ id });
  expect(session.stdout()).toMatch(/^\d\d:\d\d:\d\d {2}order\.created {2}generic\/a-\w+ {2}200 {2}\d+ ms\n$/);
  expect(await session.stop()).toBe(130);
});

test('--route chooses the address by type; a server that is away is named once', async () => {
  const account = await accountOf();
  const [orders, away] = [await consumerForTest(), await consumerForTest()];
  await away.close();
  const session = startListen(
    [
      ...['--account', account, '--forward', away.url, '--json'],
      ...['--route', `order.*=${orders.url}`, '--route', 'skipped=http://127.0.0.1:1/'],
    ],
    envOf(),
  );
  await session.ready();
  const [order] = await send(account, 1);
  await send(account, 3, 'other');
  const lines = await until('all are shown', () => {
    const shown = session.stdout().trim().split('\n');
    return shown.length === 4 && shown.map((line) => JSON.parse(line));
  });
  expect(idsAt(orders)).toEqual([order]);
  expect(lines.map(({ status, error }) => status ?? error)).toEqual([
    200,
    'ECONNREFUSED',
    'ECONNREFUSED',
    'ECONNREFUSED',
  ]);
  expect(session.stderr().match(/does not answer/g)).toHaveLength(1);
});

test('--since begins in the past, and --resume where the last session stopped', async () => {
  const account = await accountOf();
  const env = envOf();
  const consumer = await consumerForTest();
  const args = ['--account', account, '--forward', consumer.url];
  const before = await send(account, 3);
  const since = startListen([...args, '--since', '1h'], env);
  await until('the past is forwarded', () => consumer.deliveries.length === 3);
  expect(await since.stop()).toBe(130);
  const between = await send(account, 2);
  const resumed = startListen([...args, '--resume'], env);
  await until('the rest is forwarded', () => consumer.deliveries.length === 5);
  await resumed.stop();
  expect(idsAt(consumer)).toEqual([...before, ...between]);
  // A session that ends before its first page is whole is resumed at its beginning.
  const late = startListen(['--account', account, '--since', '1h', '--forward', 'http://127.0.0.1:1'], env);
  await late.stop();
  consumer.deliveries.length = 0;
  const again = startListen([...args, '--resume'], env);
  await until('all are forwarded', () => consumer.deliveries.length === 5);
  await again.stop();
  // Other filters have a place of their own.
  const other = startListen(['--account', account, '--type', 'none', '--resume'], env);
  await other.ready();
  expect(other.stderr()).toContain('There is nothing to resume');
});

test('each event is forwarded once through a suspension, cut connections and a restart of the gateway', async () => {
  const account = await accountOf();
  const env = stateEnv();
  const consumer = await consumerForTest();
  const { proxy, url } = await proxyTo(gateway.baseUrl);
  const session = spawnListen(['--account', account, '--forward', consumer.url], {
    ...env,
    ...gatewayEnv({ ...gateway, baseUrl: url }),
  });
  await session.ready();
  const sent = await send(account, 20);
  session.kill('SIGSTOP');
  sent.push(...(await send(account, 150)));
  proxy.cut();
  session.kill('SIGCONT');
  await until('it has caught up', () => consumer.deliveries.length === sent.length);
  for (let n = 0; n < 5; n++) {
    sent.push(...(await send(account, 5)));
    proxy.cut();
  }
  await until('it has caught up again', () => consumer.deliveries.length === sent.length);
  proxy.begin({ kind: 'cut' });
  const { databaseUrl, keyring } = gateway;
  await gateway.stop();
  gateway = await startGateway({ worker: false, databaseUrl, keyring });
  sent.push(...(await send(account, 10)));
  await until('it says so', () => session.stderr().includes('reconnecting'));
  proxy.targetPort = Number(new URL(gateway.baseUrl).port);
  proxy.end();
  await until('it is back', () => consumer.deliveries.length === sent.length);
  expect(idsAt(consumer)).toEqual(sent);

  // After a crash, an event may come twice, and none is missing.
  consumer.deliveries.length = 0;
  const rest = await send(account, 120);
  await until('some are forwarded', () => consumer.deliveries.length > 10);
  session.kill('SIGKILL');
  await session.ended;
  rest.push(...(await send(account, 5)));
  const resumed = startListen(['--account', account, '--forward', consumer.url, '--resume'], {
    ...env,
    ...gatewayEnv({ ...gateway, baseUrl: url }),
  });
  await until('none is missing', () => new Set(idsAt(consumer)).size === rest.length);
  expect([...new Set(idsAt(consumer))]).toEqual(rest);
  expect(consumer.deliveries.length).toBeLessThanOrEqual(rest.length + 100);
  await resumed.stop();
});

test('memory does not grow with the events that have passed', async () => {
  const account = await accountOf();
  const [provider = '', account_slug = ''] = account.split('/');
  const id = 'order-large';
  await gateway.send({ provider, account_slug }, JSON.stringify({ id, padding: 'x'.repeat(20_000) }));
  const more = 6_000;
  // As if so many consumers had got the webhook: they have its body in common.
  // In parts, each far below the time limit of a statement.
  for (let n = 0; n < more; n += 1_000)
    await gateway.rows(
      `insert into events (id, request_id, consumer_id, account_id, provider, account_slug, app_key, event_type, external_id, status,
       delivery_status, generation_at, received_at)
     select overlay(gen_random_uuid()::text placing left(e.id::text, 15) from 1)::uuid, e.id, gen_random_uuid(), e.account_id, e.provider,
       e.account_slug, e.app_key, 'order.created', e.external_id, 'enqueued', 'pending', now(), e.received_at
     from events e cross join generate_series(1, 1000) where e.external_id = $1 and e.request_id is null`,
      [id],
    );
  // All events at once are 160 MB; the command alone takes about 20.
  const session = spawnListen(['--account', account, '--since', '1h'], envOf(), ['--max-old-space-size=48']);
  const shown = await until(
    'all are shown',
    () => {
      const lines = session.stdout().split('\n').length - 1;
      return lines > more && lines;
    },
    // Alone it takes some 20 s, and on a busy machine five times as long.
    250_000,
  );
  expect(shown).toBe(more + 1);
  expect(await session.stop(), session.stderr()).toBe(130);
});

test("'provider/*' has the accounts that are made later, and no others", async () => {
  const session = startListen(['--account', 'generic/*', '--json'], envOf());
  await session.ready();
  await gateway.admin.createAccount({ provider: 'gitlab', account_slug: 'x', skip_signature_verification: true });
  await gateway.send({ provider: 'gitlab', account_slug: 'x' }, '{"object_kind":"push"}');
  const account = await accountOf();
  await send(account, 1);
  await until('the event is shown', () => session.stdout().includes(account));
  expect(session.stdout()).not.toContain('gitlab/x');
});

test('a gateway that is away at the start is waited for', async () => {
  const account = await accountOf();
  const { proxy, url } = await proxyTo(gateway.baseUrl);
  proxy.begin({ kind: 'cut' });
  const session = startListen(['--account', account, '--give-up', '5m'], envOf({ ...gateway, baseUrl: url }));
  await until('it says why it waits', () => session.stderr().includes('reconnecting: no response from'));
  expect(session.stderr()).not.toContain('ready');
  proxy.end();
  await session.ready();
  await send(account, 1);
  await until('the event is shown', () => session.stdout().includes('order.created'));
});

test('--give-up ends with 1 when the gateway stays away', async () => {
  const account = await accountOf();
  const { proxy, url } = await proxyTo(gateway.baseUrl);
  const session = startListen(['--account', account, '--give-up', '2s'], envOf({ ...gateway, baseUrl: url }));
  await session.ready();
  proxy.begin({ kind: 'cut' });
  expect(await session.ended).toBe(1);
  expect(session.stderr()).toMatch(/reconnecting: [\s\S]*error: the gateway was away for 2 s/);
});

test.each([
  { args: ['--since', '1h', '--resume'], code: 2, says: 'cannot be combined' },
  { args: ['--account', 'generic/none'], code: 3, says: 'generic/none' },
  { args: ['--account', 'strpe/*'], code: 3, says: "no provider is 'strpe'" },
  { args: ['--route', 'x=ftp://127.0.0.1'], code: 2, says: 'is not an address for --route' },
  { args: ['--url', 'http://127.0.0.1:1', '--give-up', '0s'], code: 1, says: 'no response from http://127.0.0.1:1' },
  { args: ['--token', 'wrong'], code: 4, says: 'Set another token' },
])('listen $args ends with $code', async ({ args, code, says }) => {
  const ended = await runCli(['listen', ...args], { env: envOf() });
  expect(ended.code, ended.stderr).toBe(code);
  expect(ended.stderr).toContain(says);
});

test('each session is an entry of the audit log, also one that resumes', async () => {
  const account = await accountOf();
  const env = envOf();
  const fresh = auditTrail(gateway.database);
  await fresh();
  for (const args of [[], [], ['--resume']]) {
    const session = startListen(['--account', account, ...args], env);
    await session.ready();
    await session.stop();
  }
  // A call that still waits at the end is an entry, too, with another status.
  const entries = (await fresh()).filter(({ action, details }) => action === 'event.feed' && details.status === 200);
  expect(entries.map(({ details }) => details)).toEqual(Array(3).fill({ query: { account: [account] }, status: 200 }));
});

test('--resume after a restore ends with 1, and says from where events can be read', async () => {
  const account = await accountOf();
  const env = envOf();
  const session = startListen(['--account', account], env);
  await session.ready();
  await session.stop();
  await send(account, 1);
  await gateway.rows(
    `insert into gateway_settings (key, value) values ('feed_epoch', convert_to(gen_random_uuid()::text, 'UTF8'))
     on conflict (key) do update set value = excluded.value`,
  );
  const ended = await runCli(['listen', '--account', account, '--resume'], { env });
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stderr).toMatch(/has expired[\s\S]*--since \d{4}-/);
});
